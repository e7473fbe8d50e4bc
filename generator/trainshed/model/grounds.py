"""What each job is made from, told by hashes."""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from msgspec import Struct

from trainshed.model.inputs import Inputs, SpecFile
from trainshed.model.remember import Question
from trainshed.model.spec import AnySpec, TrainingJobSpec


class Grounds(Struct, frozen=True):
    """`common` is what all jobs stand on: every other spec, and the code beside those.

    `code` has the hash of all code files in a folder and below it: no spec can name others.
    """

    common: str
    code: Mapping[PurePosixPath, str]

    @classmethod
    def of(cls, inputs: Inputs) -> "Grounds":
        """As the files are."""
        below: dict[PurePosixPath, list[str]] = {}
        for path, content in sorted(inputs.code.items()):
            for folder in path.parents:
                below.setdefault(folder, []).append(_hash((str(path), hashlib.sha256(content).hexdigest())))
        code = {folder: _hash(hashes) for folder, hashes in below.items()}
        others: list[SpecFile[AnySpec]] = [*inputs.clusters, *inputs.teams, *inputs.presets, *inputs.policies]
        words = (word for file in others for word in _words(file, code))
        return cls(_hash(words), code)

    def question(self, job: SpecFile[TrainingJobSpec]) -> Question:
        """Everything that a job on its clusters is made from, before Git says which of its runs there were."""
        return (self.common, *_words(job, self.code))


def _words(file: SpecFile[AnySpec], code: Mapping[PurePosixPath, str]) -> Question:
    return (str(file.path), file.hash, code.get(file.path.parent, ""))


def _hash(words: Iterable[str | bytes]) -> str:
    """The hash of paths and hashes; none of them holds the zero byte between them."""
    return hashlib.sha256("\0".join(map(str, words)).encode("utf-8", "surrogateescape")).hexdigest()
