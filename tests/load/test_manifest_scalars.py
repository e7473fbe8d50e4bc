"""Words of manifests as kubectl reads them. Each row was asked of sigs.k8s.io/yaml v1.6.0, which kubectl v1.36 links."""

import json
from pathlib import PurePosixPath

import pytest

from trainshed.load.manifest_yaml import read_yaml_documents

ROWS = """\
yes true
y true
Y true
n false
on true
No false
OFF false
nO "nO"
true true
True true
~ null
null null
0755 493
0o755 493
0O7 7
0b11 3
0B11 3
-0b11 -3
0x1F 31
0X1f 31
+0x1F 31
-012 -10
08 8
0_7 7
0x_1 1
1_000 1000
1__0 10
-1_0 -10
_1 "_1"
+12 12
-0 0
1e3 1000
1E+2 100
1_e3 1000
1_0.5 10.5
1.0 1
2.50 2.5
1. 1
0. 0
.5 0.5
+.5 0.5
-.5 -0.5
.5e1 5
._5 "._5"
1e-7 1e-07
1e400 "1e400"
.1e400 ".1e400"
0x1p-2 "0x1p-2"
12:30 "12:30"
2001-01-01 "2001-01-01"
= "="
v1.36 "v1.36"
9223372036854775807 9223372036854775807
9223372036854775808 9.223372036854776e+18
1e21 1e+21
123456789012345678.0 123456789012345680
"yes" "yes"
'0755' "0755"
!!str yes "yes"
!!str 1 "1"
! 12 "12"
!!int "3" 3
!!float 1 1
!!bool "yes" true
!!null "" null
"""


@pytest.mark.parametrize("row", ROWS.splitlines())
def test_word_means_what_kubectl_takes_it_for(row: str) -> None:
    word, value = row.rsplit(" ", 1)
    documents, findings = read_yaml_documents(word, PurePosixPath("a.yaml"))
    assert findings == []
    (document,) = documents
    assert json.dumps(getattr(document.node, "value", ...)) == value


@pytest.mark.parametrize("word", [".inf", "-.INF", "+.inf", ".nan", "!!float .inf", "[.nan]", "{a: .inf}"])
def test_what_json_cannot_hold_is_a_finding(word: str) -> None:
    documents, findings = read_yaml_documents(word, PurePosixPath("a.yaml"))
    assert (documents, [finding.code for finding in findings]) == ([], ["yaml-number"])


@pytest.mark.parametrize(
    "word",
    [
        "!!binary aGk=",
        "!!timestamp 2001-01-01",
        "!!python/object:os.system x",
        "!custom a",
        "!!int a",
        "!!int yes",
        "!!null x",
        "!!set {a}",
        "!!map [a]",
        "!!seq {}",
    ],
)
def test_tags_beyond_the_core_schema_are_refused(word: str) -> None:
    documents, findings = read_yaml_documents(f"a: {word}\n", PurePosixPath("a.yaml"))
    assert documents == []
    assert [(finding.code, str(finding.source)) for finding in findings] == [("yaml-tag", "a.yaml:1:4")]
