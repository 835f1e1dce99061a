"""Every sentence is there in every language, with the same values to fill in."""

import re
import string
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po

from cardlab import locale

ROOT = Path(__file__).parents[2]
DIRECTORY = Path(locale.__file__).parent
DOMAINS = sorted(path.stem for path in (DIRECTORY / "en" / "LC_MESSAGES").glob("*.po"))


def catalogue(domain: str, lang: str) -> Catalog:
    with (DIRECTORY / lang / "LC_MESSAGES" / f"{domain}.po").open("rb") as file:
        return read_po(file, locale=lang, abort_invalid=True)


def key(message: Message) -> str:
    return message.id[0] if isinstance(message.id, tuple) else message.id


def sentences(message: Message) -> list[str]:
    return list(message.string) if isinstance(message.string, tuple) else [message.string]


def placeholders(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name is not None}


def test_the_languages_have_the_same_catalogues() -> None:
    assert {"core", "gpt", "record"} <= {*DOMAINS}
    for lang in locale.LANGUAGES:
        folder = DIRECTORY / lang / "LC_MESSAGES"
        assert sorted(path.stem for path in folder.glob("*.po")) == DOMAINS


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_catalogue_is_complete_in_every_language(domain: str) -> None:
    texts = {
        lang: {key(each): sentences(each) for each in catalogue(domain, lang) if each.id}
        for lang in locale.LANGUAGES
    }
    assert texts["en"].keys() == texts["ja"].keys()
    for name, english in texts["en"].items():
        assert re.fullmatch(rf"{domain}(\.[A-Za-z0-9_]+)+", name), name
        values = placeholders(english[-1])
        for lang in locale.LANGUAGES:
            for sentence in texts[lang][name]:
                assert sentence.strip(), f"{name} has no words in {lang}"
                # A singular may leave the number out.
                assert values - {"n"} <= placeholders(sentence) | {"n"} <= values | {"n"}, name
            assert "n" not in values or "n" in placeholders(texts[lang][name][-1]), name


@pytest.mark.parametrize("domain", DOMAINS)
def test_nothing_is_fuzzy_or_left_over(domain: str) -> None:
    for lang in locale.LANGUAGES:
        messages = catalogue(domain, lang)
        assert not [message.id for message in messages if message.id and message.fuzzy]
        assert not messages.obsolete


@pytest.mark.parametrize("domain", DOMAINS)
def test_japanese_is_japanese_and_english_is_not(domain: str) -> None:
    japanese = re.compile(r"[ぁ-んァ-ヶ一-龠々。、「」]")
    for message in catalogue(domain, "en"):
        if message.id:
            assert not japanese.search("".join(sentences(message))), message.id


PAGES = [*DIRECTORY.glob("ja/*.md"), *DIRECTORY.glob("ja/*/*.po"), ROOT / "README.md"]


@pytest.mark.parametrize("path", [*PAGES, *(ROOT / "notebooks" / "ja").glob("*.ipynb")], ids=str)
def test_words_for_the_computer_are_spelt_in_one_way(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert "コンピューター" not in text


def test_a_key_that_does_not_exist() -> None:
    with pytest.raises(KeyError):
        locale.text("core.nothing")
    assert not locale.has("core.nothing")
    assert locale.has("core.list", "ja")
