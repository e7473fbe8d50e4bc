"""docs/operators.md: what each release of each operator serves and can do, as the catalogue has it."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from conftest import Golden

from trainshed import catalog
from trainshed.model.catalog import Feature, Operator

PAGE = Path(__file__).parents[2] / "docs" / "operators.md"

PREFACE = (
    "# Operators",
    "",
    "A [cluster](clusters.md) names the operators that it runs, and the release of each. The release decides which kinds",
    "and fields there are: a spec that needs what is missing is an error ([`release-lacks`](findings/release-lacks.md)).",
    "",
    "This page is written from `generator/trainshed/catalog/operators/` by",
    "`pytest tests/architecture --update-golden`. What was read in no release is said under its operator.",
)


def test_the_page_of_operators_is_what_the_catalogue_says(golden: Golden) -> None:
    golden.check(PAGE, write_page(catalog.operators()))


def write_page(operators: Mapping[str, Operator]) -> str:
    """A section for each operator, by title."""
    by_title = sorted(operators.values(), key=lambda operator: operator.title.casefold())
    return "\n".join([*PREFACE, *(line for operator in by_title for line in write_operator(operator)), ""])


def write_operator(operator: Operator) -> Iterator[str]:
    """Its name, then what it serves, what it can do, and what is not sure."""
    sources = ", ".join(f"<{source}>" for source in operator.sources)
    yield from ("", f"## {operator.title}", "")
    yield f"`{operator.name}`, in namespace `{operator.namespace}`. Read in {sources}."
    yield from ("", *write_table(("kind", *operator.releases, "in Kueue"), kind_rows(operator)))
    if operator.features:
        heads = ("feature", "what it is", "fields", *operator.releases)
        yield from ("", *write_table(heads, feature_rows(operator)))
    if operator.unconfirmed:
        yield from ("", "Not confirmed:", "", *(f"- {doubt}" for doubt in operator.unconfirmed))


def kind_rows(operator: Operator) -> Iterator[tuple[str, ...]]:
    """The apiVersion of each kind in each release."""
    releases = operator.releases.values()
    kinds = {served.kind: served.kueue_framework for release in releases for served in release.kinds}
    for kind, framework in kinds.items():
        served = [release.serves(kind) for release in releases]
        yield kind, *(each.api_version if each else "–" for each in served), framework or "–"


def feature_rows(operator: Operator) -> Iterator[tuple[str, ...]]:
    """Which release has which feature."""
    for name, feature in operator.features.items():
        marks = ("yes" if release.can(name) else "–" for release in operator.releases.values())
        yield f"`{name}`", feature.meaning.replace("|", "\\|"), show_fields(feature), *marks


def show_fields(feature: Feature) -> str:
    """Each pointer once, with the kinds that have it in front."""
    kinds: dict[str, list[str]] = {}
    for field in feature.fields:
        kinds.setdefault(str(field).removeprefix(f"{field.kind} "), []).append(field.kind)
    return "<br>".join(f"{', '.join(names)} `{pointer}`" for pointer, names in kinds.items())


def write_table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """A table of Markdown."""
    yield f"| {' | '.join(heads)} |"
    yield "|---" * len(heads) + "|"
    yield from (f"| {' | '.join(row)} |" for row in rows)
