"""pprof's format: a gzipped protocol buffer, for `go tool pprof`, speedscope and others.

A stack is an object, the code that uses it and the thread that runs the code; nodes and operations
are labels (`pprof -tagfocus`). The messages are those of google/pprof's proto/profile.proto, of
which only the fields that are written here are listed.
"""

import gzip
from functools import cache
from typing import Any

from homenode.errors import NOT_SUPPORTED
from homenode.profile.errors import ProfileError
from homenode.profile.export.content import SAMPLED_UNIT, Content, Group, groups

# By message: its fields, with number and type; "*" means repeated.
MESSAGES = {
    "ValueType": {"type": (1, "int64"), "unit": (2, "int64")},
    "Label": {"key": (1, "int64"), "str": (2, "int64"), "num": (3, "int64")},
    "Sample": {"location_id": (1, "*uint64"), "value": (2, "*int64"), "label": (3, "*Label")},
    "Line": {"function_id": (1, "uint64")},
    "Location": {"id": (1, "uint64"), "line": (4, "*Line")},
    "Function": {"id": (1, "uint64"), "name": (2, "int64")},
    "Profile": {
        "sample_type": (1, "*ValueType"),
        "sample": (2, "*Sample"),
        "location": (4, "*Location"),
        "function": (5, "*Function"),
        "string_table": (6, "*string"),
        "duration_nanos": (10, "int64"),
        "comment": (13, "*int64"),
        "default_sample_type": (14, "int64"),
    },
}
PACKAGE = "perftools.profiles"
UNKNOWN_CODE, UNKNOWN_OBJECT = "(code not known)", "(no known object)"


@cache
def _message_class() -> Any:
    """The class of the message Profile. Raises ProfileError where protobuf is missing."""
    try:
        from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
    except ModuleNotFoundError as error:
        raise ProfileError(
            "pprof's format needs the Python module protobuf; install it (pip install protobuf)",
            NOT_SUPPORTED,
        ) from error
    field_type = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(
        name="homenode/profile.proto", package=PACKAGE, syntax="proto3"
    )
    for name, fields in MESSAGES.items():
        message = file.message_type.add(name=name)
        for field, (number, kind) in fields.items():
            plain = kind.removeprefix("*")
            label = field_type.LABEL_REPEATED if kind != plain else field_type.LABEL_OPTIONAL
            added = message.field.add(name=field, number=number, label=label)
            if plain in MESSAGES:
                added.type = field_type.TYPE_MESSAGE
                added.type_name = f".{PACKAGE}.{plain}"
            else:
                added.type = getattr(field_type, f"TYPE_{plain.upper()}")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{PACKAGE}.Profile"))


class _Builder:
    """Adds samples to a message; strings and places are numbered as they come."""

    def __init__(self, content: Content) -> None:
        self.content = content
        self.profile = _message_class()()
        self._strings: dict[str, int] = {}
        self._places: dict[str, int] = {}
        self.string("")

    def string(self, text: str) -> int:
        """The number of a text; 0 is the empty one."""
        if text not in self._strings:
            self._strings[text] = len(self._strings)
            self.profile.string_table.append(text)
        return self._strings[text]

    def place(self, name: str) -> int:
        """The number of a location with a function of this name."""
        if name not in self._places:
            number = self._places[name] = len(self._places) + 1
            self.profile.function.add(id=number, name=self.string(name))
            self.profile.location.add(id=number).line.add(function_id=number)
        return self._places[name]

    def add(self, group: Group) -> None:
        """One sample of the format."""
        content = self.content
        item = content.objects[group.object] if group.object >= 0 else UNKNOWN_OBJECT
        code = content.places[group.place] if group.place >= 0 else UNKNOWN_CODE
        stack = (item, code, content.thread_names[group.thread])
        sample = self.profile.sample.add(
            location_id=[self.place(name) for name in stack],
            value=[group.samples, group.uses, group.remote],
        )
        for key, node in (("cpu node", group.cpu_node), ("memory node", group.memory_node)):
            if node >= 0:
                sample.label.add(key=self.string(key), str=self.string(f"node {node}"))
        sample.label.add(key=self.string("operation"), str=self.string(group.operation))


def write(content: Content) -> bytes:
    """The file. Raises ProfileError where protobuf is missing."""
    builder = _Builder(content)
    profile = builder.profile
    for name in ("samples", "uses", "remote_uses"):
        profile.sample_type.add(type=builder.string(name), unit=builder.string("count"))
    profile.default_sample_type = builder.string("remote_uses")
    profile.duration_nanos = round(content.profile.taken.seconds * 1e9)
    if not content.facts.exact:
        comment = f"uses are sampled: {SAMPLED_UNIT} is what the mean sample stands for"
        profile.comment.append(builder.string(comment))
    for group in groups(content):
        builder.add(group)
    return gzip.compress(profile.SerializeToString(), mtime=0)
