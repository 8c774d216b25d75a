"""AWS's list prices, in one place for every benchmark. They change: look them up before you plan with them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """List prices of us-east-1 in USD per unit, without tiers and free allowances."""

    s3_put_post_list: float = 0.005 / 1_000
    s3_get_head: float = 0.0004 / 1_000
    s3_gb_month: float = 0.023
    kms_request: float = 0.03 / 10_000
    cloudtrail_data_event: float = 0.10 / 100_000
    lambda_request: float = 0.20 / 1_000_000
    lambda_arm_gb_second: float = 0.0000133334
