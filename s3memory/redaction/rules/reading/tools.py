"""Tools and services whose keys have no format of their own, and the words that distinguish their keys."""

from __future__ import annotations

from s3memory.redaction.text.word_lists import word_set

_MAX_SHORT_NAME, _ENDING_LENGTH = 4, 2

TOOLS = word_set(
    "algolia typesense meilisearch datadog mistral cohere deepseek openai azure openrouter novita hyperbolic "
    "sambanova deepinfra ideogram deepl deepgram assemblyai elevenlabs speechmatics serper serpapi serpstack exa "
    "scrapingbee scraperapi zenrows brightdata browserless apiflash tavily jina mailgun mailjet postmark sparkpost "
    "sendgrid brevo mandrill mailtrap elasticemail vonage nexmo twilio messagebird plivo sinch clicksend zendesk "
    "freshdesk freshservice helpscout zammad pipedrive activecampaign convertkit coinbase binance kraken bitfinex "
    "bybit kucoin bitstamp infura alchemy etherscan moralis coingecko coinmarketcap polygonscan bscscan tronscan "
    "blockfrost hetzner vultr linode scaleway upcloud ovh contabo netcup gandi namecheap porkbun dnsimple dnsmadeeasy "
    "duckdns desec cloudns godaddy loopia njalla cloudflare fastly bunnycdn keycdn imgix cloudinary imagekit "
    "uploadcare tinypng vercel railway koyeb northflank travis codecov coveralls codacy appveyor bitrise codemagic "
    "jenkins teamcity artifactory youtrack redmine openproject rollbar bugsnag raygun airbrake honeybadger honeycomb "
    "papertrail loggly logdna mezmo sumologic logzio coralogix splunk newrelic instana appsignal scoutapm opsgenie "
    "pagerduty victorops statuscake uptimerobot pingdom healthchecks betterstack betteruptime cronitor statuspage "
    "librenms zabbix checkmk icinga netdata signoz pushover pushbullet gotify ntfy onesignal pushwoosh pusher pubnub "
    "discord raindrop pinboard todoist ticktick airtable instapaper wallabag linkding readwise openweathermap "
    "openweather weatherapi weatherbit tomorrowio visualcrossing meteostat virustotal shodan censys abuseipdb urlscan "
    "greynoise securitytrails hibp otx maptiler mapbox mapquest tomtom geoapify opencage locationiq thunderforest "
    "ipinfo ipstack ipdata ipgeolocation ipapi maxmind positionstack stadia graphhopper clearbit hunterio mixpanel "
    "posthog amplitude matomo umami lastfm wandb tmdb tvdb omdb trakt giphy unsplash pexels pixabay wolframalpha "
    "alphavantage finnhub polygonio tiingo quandl exchangerate openexchangerates newsapi gnews rapidapi apininjas "
    "steam wakatime bitly rebrandly ngrok zerotier sonarr radarr lidarr readarr prowlarr bazarr whisparr jackett "
    "overseerr jellyseerr ombi tautulli sabnzbd nzbget nzbgeek jellyfin emby plex immich paperless nextcloud "
    "homeassistant grocy octoprint mainsail pihole adguard portainer proxmox truenas unraid opnsense pfsense mikrotik "
    "unifi netbox phpipam influxdb metabase superset redash retool appsmith directus strapi contentful storyblok "
    "prismic mattermost rocketchat zulip chatwoot vaultwarden authentik keycloak okta onelogin jumpcloud snipeit "
    "woocommerce shipstation shipengine aftership sendcloud printful printify docusign tibber easee zaptec netatmo "
    "sevdesk holded moneybird fortnox billomat easybill fakturownia infakt wfirma baselinker tripletex braze "
    "customerio livekit datocms hygraph shlink yourls blynk thingsboard thingspeak ubidots ecowitt weatherlink "
    "purpleair entsoe ewelink gitea forgejo foursquare oura transitland marinetraffic zenodo kobotoolbox redcap moodle "
    "vimeo mixcloud patreon abstractapi withings aisstream openrouteservice opensky sentinelhub "
    "scopus mendeley zotero datacite qualtrics limesurvey surveymonkey typeform jotform calendly gumroad lemonsqueezy "
    "solaredge enphase fronius growatt ecobee smartthings hubitat switchbot nanoleaf lifx govee soracom onomondo "
    "losant balena traccar miniflux freshrss karakeep tandoor mealie linkwarden audiobookshelf navidrome "
    "discogs musixmatch acoustid igdb rawg clockify toggl everhour kimai circleci buildkite sonarcloud sonarqube "
    "aiprise alconost amadeus ambee anypoint apideck apilayer apimatic appcues appoptics asana atlassian "
    "auth0 accuweather ahrefs autodesk aviationstack aylien bannerbear baremetrics baseten beamer bitbar bitmex "
    "blazemeter borgbase brandfetch browserstack buttercms bittrex calendarific chartmogul clarifai clockodo "
    "cloudconvert cloudmersive cloudsight cloudsmith codeclimate coinapi coinlayer companyhub convertapi copyleaks "
    "crowdin cryptocompare currencylayer currencycloud currentsapi dailymotion deepai detectify detectlanguage diffbot "
    "disqus docparser dwolla edamam edenai eventbrite enablex ethplorer eodhd finage finicity fixerio fleetbase flickr "
    "freshbooks freshsales geckoboard geocodio geocodify getresponse gitter glassnode gtmetrix happyscribe hellosign "
    "hereapi holidayapi iconfinder iexcloud imagga insightly instamojo integromat intrinio ip2location ipqualityscore "
    "kagi kickbox klaviyo klingai knapsackpro leadfeeder lemlist linkpreview livestorm lokalise loginradius looker "
    "magicbell mailboxlayer mailerlite mailersend mailmodo mailsac marketstack mediastack meraki mesibo mockaroo "
    "moosend nasdaqdatalink newscatcher newscatcherapi newyorktimes numverify nutritionix nytimes omnisend onfleet "
    "openuv optimizely owlbot owm packagecloud pagarme paralleldots parsehub pastebin paymongo paystack pdflayer "
    "peopledatalabs pipedream pivotaltracker plaid podio poloniex proxycrawl pyowm qase qualaroo repairshopr "
    "ringcentral rocketreach salesflare satismeter saucelabs scrapfly scrapingant scrapeowl scrapestack "
    "screenshotlayer sendbird sendinblue sidekiq sightengine signalwire sirv skybiometry smartsheet smartystreets "
    "snipcart spoonacular sportmonks squarespace sslmate stabilityai stockdata stormglass strava stytch swiftype "
    "taxjar telesign textmagic thousandeyes ticketmaster tradier travelpayouts twelvedata twitch unifyid userstack "
    "vastai vatlayer verimail vpnapi walkscore weatherstack webex webexbot webflow webscraper wepay wistia wrike yelp "
    "youneedabudget ynab zenscrape zenserp zeplin zerobounce zipcodeapi adafruit"
)
"""Services whose keys have no format of their own: the name with a sign or a role is enough to find one."""

_ENDINGS = frozenset(tool[-_ENDING_LENGTH:] for tool in TOOLS)  # a prefilter: most words end otherwise

ANCHORS = (
    *("vantage", "weather", "tomorrow", "york-", "york_", "york "),  # of "alpha-vantage", "New York Times"
    *(
        form
        for tool in sorted(TOOLS)
        for form in ((tool,) if len(tool) > _MAX_SHORT_NAME else (f"{tool} ", f"{tool}:", f"{tool}=", f"{tool}."))
    ),
)
"""One of these is in every text that names a tool; after a short name, which may be part of a word, comes a sign."""

UUID_TOOLS = word_set(
    "deepl codecov postmark exa duckdns splunk loggly scaleway uptimerobot statuscake coinmarketcap mailtrap "
    "tomorrowio elasticemail healthchecks braze shlink entsoe opsgenie govee anypoint saucelabs loginradius"
)
"""Tools whose keys are UUIDs."""

COMMIT_TOOLS = word_set(
    "vercel travis codecov coveralls codacy appveyor bitrise codemagic jenkins teamcity artifactory railway koyeb "
    "northflank portainer gitea forgejo moodle circleci buildkite sonarcloud sonarqube"
)
"""Tools for which forty hexadecimal digits are more likely a commit than a key."""

ROLES = word_set(
    "trial free paid pro premium personal work business private team demo beta prod production staging stage dev "
    "development test testing sandbox live admin root master main primary secondary old new my our second other read "
    "write readonly full send sending ingest ingestion upload query search server backend post item deploy publish ci "
    "bot app cli web mobile global cloud bridge proxy relay smtp mail dns ddns io com translate translation geocoding "
    "maps weather ai llm embeddings inference chat for identity reference local remote home self hosted v rest http "
    "push runner registration"
)
"""Words between a tool and its key that distinguish the key from others: "algolia admin"."""

NO_KEYS = word_set(
    "sid client customer customers tenant subscription zone site device chat channel database db group workspace "
    "organization organisation session repo repository head base fp shasum page doc sheet space list board card form "
    "price product charge payment intent plan member role policy cluster machine vm disk volume drive vpc subnet "
    "stack queue topic stream peer wallet addr nft publishable pub profile merchant nonce iv salt number no nr case "
    "lot parcel shipment pid backup archive download record row entry line step jti sub aud iss exp anon style "
    "tileset task incident flow call ray tunnel dashboard monitor player game match video song track album movie "
    "photo folder item asset torrent magnet infohash replica worker server vault agent view widget plugin pipeline "
    "workflow stage lock tls ssl pin pins mac seed in from by at on see since after expected actual got computed "
    "schema migration state parent before until via per the of is was are to with and or than"
)
"""Right before a random value, these label it as an identifier or a thing, or belong to a sentence."""


def is_tool(words: list[str], index: int, of: frozenset[str] = TOOLS) -> bool:
    """Whether the word at `index` is one of the tools, or the last part of one: "OpenWeatherMap" is three words."""
    word = words[index]
    if word in of or word[-_ENDING_LENGTH:] not in _ENDINGS:
        return word in of
    return any("".join(words[max(0, index - before) : index + 1]) in of for before in (1, 2))
