"""A review as a program reads it. The shape is described in docs/review.md; new fields may come, none change."""

import json
from typing import Any

from trainshed.model.manifest import AppId
from trainshed.model.review import Cause, FieldChange, ObjectChange, Review, Risk, RunChange
from trainshed.model.source import Source

VERSION = 1


def format_json(review: Review) -> str:
    """One object, in printable ASCII."""
    document = {
        "version": VERSION,
        "base": review.commit,
        "headline": review.headline,
        "untouched": review.untouched,
        "sealedUnderOlderDefaults": review.older,
        "unexplained": review.unexplained,
        "following": dict(review.following),
        "risks": list(map(_risk, review.risks)),
        "runs": [_run(run) for group in review.runs for run in group.runs],
        "causes": [_cause(cause) for group in review.causes for cause in group.causes],
        "objects": [_object(change) for group in review.objects for change in group.changes],
    }
    return json.dumps(document, indent=2).replace("\x7f", "\\u007f") + "\n"


def _risk(risk: Risk) -> dict[str, Any]:
    return {
        "kind": risk.kind.value,
        "sentence": risk.sentence,
        "sources": list(map(_source, risk.sources)),
        "apps": list(map(_app, risk.places)),
    }


def _run(run: RunChange) -> dict[str, Any]:
    return {
        "verb": run.verb.value,
        "team": run.team,
        "job": run.job,
        "cluster": run.cluster,
        "kind": run.kind,
        "attempt": run.attempt,
        "starts": run.starts,
        "ends": run.ends,
        "keeps": list(run.keeps),
        "resumes": run.resumes,
        "sentences": list(run.sentences),
        "why": run.quote,
        "fields": list(map(_field, run.fields)),
        "source": _source(run.source),
    }


def _cause(cause: Cause) -> dict[str, Any]:
    return {
        "path": str(cause.path),
        "verb": cause.verb.value,
        "subject": cause.subject,
        "fields": list(map(_field, cause.words)),
        "effects": list(cause.effects),
        "source": _source(cause.source),
    }


def _object(change: ObjectChange) -> dict[str, Any]:
    return {
        "verb": change.verb.value,
        **_app(change.app),
        "apiVersion": change.identity.api_version,
        "kind": change.identity.kind,
        "namespace": change.identity.namespace,
        "name": change.identity.name,
        "previousName": change.previous.name if change.previous else "",
        "staysInCluster": change.stays,
        "fields": list(map(_field, change.fields)),
        "source": _source(change.source),
    }


def _field(field: FieldChange) -> dict[str, Any]:
    return {
        "words": field.words,
        "pointer": field.pointer,
        "roles": list(field.roles),
        "before": field.before,
        "after": field.after,
        "lines": list(field.lines),
        "linesAdded": field.added,
        "linesRemoved": field.removed,
        "source": _source(field.source) if field.source else None,
    }


def _app(app: AppId) -> dict[str, str]:
    return {"cluster": app.cluster, "app": app.app}


def _source(source: Source) -> dict[str, Any]:
    return {"path": str(source.path), "line": source.line, "column": source.column}
