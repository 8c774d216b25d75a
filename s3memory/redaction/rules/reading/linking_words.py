"""Words between the name of a key and its value, in all languages of `LANGUAGES`, and those of questions for it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from s3memory.redaction.rules.reading.languages import LANGUAGES
from s3memory.redaction.rules.reading.letters import is_unspaced
from s3memory.redaction.text.word_lists import phrase_list, word_list, word_set

_ALL_VERBS = [verb for language in LANGUAGES.values() for verb in language.verbs.split()]
VERBS = frozenset(verb for verb in _ALL_VERBS if "_" not in verb)
"""Single verbs that link a name to its value, in lower case: "is"."""

LAST_WORDS_OF_VERBS = frozenset(verb.rpartition("_")[2] for verb in _ALL_VERBS)
"""The same, and the last word of verbs of several words: "to" of "changed to"."""

FOR = word_set("for für pour para per voor dla pro för til pentru для за cho untuk pre na za")
"""Prepositions that begin what a key is for: "the key for the shop"."""

BECAUSE = word_set(
    "because since weil da omdat want parce porque perché puisque eftersom fordi mert ponieważ bo protože pretože "
    "çünkü потому бо тому car jer zato perquè sest koska denn"
)
"""Conjunctions that begin a reason: a key that it names is not the value."""

# Verbs or particles of other languages that are other words in English.
_OTHER_WORDS_IN_ENGLISH = word_set("to on in at so now most an be as no into takes goes reads")
_UNSPACED = frozenset(filter(is_unspaced, VERBS))
SPACED = VERBS - _UNSPACED - _OTHER_WORDS_IN_ENGLISH
"""Those of `VERBS` that spaces set apart, without those that are other words in English."""

AS_WORDS = word_set(
    "as als come comme como com som sem ako jako kao kot ca kuin jak как як като ως mint olarak sebagai làm kaip kā"
)
"""Words for "as"."""

_WHAT = word_list(
    "what which wie welche welcher welches quel quelle quoi cuál qué qual quale wat welk welke vad vilket vilken hvad hvilken hvilket hva jaki jakie jaka jaké jaký jaká aké aký aká mikä milyen melyik koja koji koje kakšno katero koks kokia kāda kāds nedir neydi quina какой какая какое какие каков який яка яке каква коя која ποιος ποια ποιο τι מה מהי شو شنو ايش إيش وش چیه چیست کیا क्या काय কী என்ன gì apa nini რა berapa mennyi apakah gani mấy zein која који шта cila hvað ինչ কী কি কত מהו ποιός ποιά"
)
_WHAT_UNSPACED = word_list("อะไร ຫຍັງ 什么 什麼 甚么 多少 啥 は？ は? 何です 何だ なに なん 教えて 뭐 뭔가요 무엇 알려")
_ABOUT = word_list(
    "how who whose when where why whether wo wann wer warum wieso où quand qui pourquoi dónde cuándo quién onde quando quem dove dov chi waar wanneer var vem när hvor hvem når missä kuka milloin gdzie kto kiedy kde kdo kdy kdy hol ki mikor unde cine când gdje tko kje kdaj kur kas kada nerede nerde kim kus kes lang lange longue quanto larga lunga dlouhé długie pitkä hosszú lungă duga где кто когда сколько почему длины де хто коли скільки къде кога πού πότε איפה מי מתי أين وين فين من متى کجاست کجا کی کہاں کس कहाँ कहां किसके কোথায় எங்கே სად đâu mana wapi"
)
_ABOUT_UNSPACED = word_list(
    "ไหน ใคร เมื่อไหร่ กี่ 在哪 哪里 哪裡 几位 幾位 谁 誰 どこ だれ いつ 何文字 何桁 어디 누가 언제 몇"
)


def _one_of(verbs: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(verbs, key=lambda verb: (-len(verb), verb))))


IS = rf"(?:{_one_of(SPACED)})(?![^\W\d_])|{_one_of(_UNSPACED)}"
"""A pattern of `VERBS`: whole words, but for scripts without spaces."""

AS = _one_of(AS_WORDS)
"""A pattern of `AS_WORDS`, as in "kettle47 as the key"."""

WHAT = rf"(?<![^\W_])(?:{_one_of(_WHAT)}|care(?=[ ](?:e|este|era)[ ])|ما(?=[ ]ه[يو])|ומה)(?![^\W_])|{_one_of(_WHAT_UNSPACED)}"
"""A pattern of words that ask for a value: "what"."""

ABOUT = (
    rf"(?<!hva[ ])(?<!vad[ ])(?<![^\W_])(?:{_one_of(_ABOUT)}|kaç(?=[ ][^\W\d_]))(?![^\W_])|{_one_of(_ABOUT_UNSPACED)}"
)
"""A pattern of words that ask for something about it: "where", "how long"."""

NO_ANSWER = word_set(
    "know idea idée idee ideia oublié boh same before later weiß ahnung dasselbe vorher sais même avant sei mesma stessa prima misma antes weet eerst aner anelse tiedä kuin tudom fogalmam eddig știu habar înainte bilmiyorum fikrim eskisiyle nevím nemám neviem nemam tušení pojęcia wiem znam samo samego wcześniej předtím predtým kao prije nežinau anksčiau знаю понятия раньше поняття раніше знам преди ξέρω ιδέα πριν יודע מושג أعرف عرف فكرة نمی پتا জানি 不知道 知ら 同じ 몰라 똑같아 không biết tahu seperti sijui ვიცი"
)
"""Words of answers that tell no value: "no idea", "the same as before"."""

HEDGES = word_set(
    "yes yeah yep sure ok okay it its that thats this the a s here now still try use should think told me you i we he she they said gave just same new one and please then of course right well so ja oui si sí sim tak ano да так 是 и а i a und et y ja ve это вроде кажется наверное думаю здається начебто to chyba asi snad myslím glaube ich c'est crois je creo que acho credo denk ik tror det luulen sanırım galiba mungkin kayaknya 应该是 たぶん 아마 هي هو היא"
)
"""Words before a value that somebody tells: "yes, I think it's"."""

_TYPED = "spaces lowercase lower_case small caps capital mezer medzer malým spacj małymi razem klein zusammen großbuchst attaché minuscul espace majuscul junto minúscul espacio espaço attaccat minuscol spazi aan_elkaar spaties ihop mellanslag gemener små mellomrom ett_ord et_ord yhteen pienell välily egybe kisbet szóköz legat litere spați bitişik küçük boşluk пробел маленьк слитн малими разом слято spojeno razmak skupaj viskas_kartu πεζά κενά huruf_kecil spasi viết_liền viết_thường không_dấu diakriti dĺž mäkčeň háčk háčky dlouh_písm accent akcent acento acent umlaut tilde ogonk ékezet kvačic šumnik strešic prickar diacritic ääkkö ääkkös τόνο hoofdletter mayúscul maiúscul maiuscol versal nagybet isoll заглавн прописн hyphen bindestrich كله مسافات صغير کوچک فاصله छोटे ছোট קטנות רווחים"
TYPED = rf"(?i)(?<![^\W_])(?:{'|'.join(phrase_list(_TYPED))})|(?:ve[lľ]k|wielk|больш|велик|büyük|groß|grand|stor)\w{{0,4}}[ ](?:\w(?!\w)|букв|літер|liter|bokst|písm|harf)|ตัวเล็ก|เว้นวรรค|小文字|大文字|スペース|小写|大写|空格|소문자|띄어쓰기"
"""A pattern of remarks on how to type what was said: "no spaces", "all in small letters"."""

SAYING = r"(?![^\n]{0,3}[不没無无别我你他她它的了吗呢吧啊在里上下中跟就也都还问看用过是有这那哪个什怎谁换改写贴存放给找等知忘记旧前后老同样再先让叫请查联系管员密码客服明稍私发信保])[一-鿿]{4}"
"""A pattern of sayings in Chinese, without signs that sentences have, such as those for "not", "at" and "ask"."""

COPULA = r"\A是(?=[!-~一-鿿])|(?<=[!-~ぁ-鿿])(?:だよ|です[よね]?|でした|だった)\Z|(?<=[!-~])(?:이?야|이에요|예요|입니다|ครับ|ค่ะ)\Z"
"""A pattern of words for "is" that are joined to a value, in scripts without spaces."""
