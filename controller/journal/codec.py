"""Events as journal bodies: stable type tags, encoders compiled once per type, and no hidden card in clear.

A body is the event's fields under their names, ``type`` with its tag and, past version 1, ``v``. What stands beside them (the
envelope: ``epoch``, time, command key) is named to the codec and ignored by it. Fields that an event hides are left out; what
seals them stands as ``sealed`` in base64. Errors name tag and field, never a value.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from operator import attrgetter
from typing import Any, Final, Generic, TypeAlias, TypeVar, get_type_hints

from controller.journal.canonical import Body, JsonValue
from controller.journal.fields import Converter, ConvertError, converter_for, with_inner

E = TypeVar("E")

Seal: TypeAlias = Callable[[str, Any, tuple[str, ...]], bytes]
"""Makes the box of an event: its tag, the event, the names of the fields it hides."""
Unseal: TypeAlias = Callable[[str, Body, bytes], Mapping[str, object]]
"""Opens the box of a body: its tag, the body, the box; gives the values of the fields that are left out."""
Upcaster: TypeAlias = Callable[[Body], Body]
"""Turns the body of an old version into the next one's; it may name another ``type``."""

MAX_UPCASTS: Final = 32
"""Most steps from an old body to today's."""

_TYPE: Final = "type"
_VERSION: Final = "v"
_SEALED: Final = "sealed"
_OWN: Final = frozenset((_TYPE, _VERSION, _SEALED))


NEWER: Final = ": a newer release wrote it; start that one, or a copy of before the upgrade"
"""What follows on a record that no release up to this one wrote."""


class CodecError(ValueError):
    """A body or event does not fit its registered type. Names tag and field, never a value."""


@dataclass(frozen=True, slots=True)
class Secret(Generic[E]):
    """What a type of event may hide: the names of those fields, and which of them a given event hides.

    Whether a field is hidden must depend on where the card lies, never on which card it is.
    """

    fields: frozenset[str]
    hidden: Callable[[E], Collection[str]]


class _Compiled:
    """One type of event with its converters."""

    __slots__ = ("cls", "convert", "converters", "get", "known", "names", "plan", "secret", "tag", "version", "when_sealed")

    def __init__(
        self, tag: str, cls: type, version: int, secret: Secret[Any] | None, public: Collection[str], envelope: frozenset[str]
    ) -> None:
        self.tag = tag
        self.cls = cls
        self.version = version
        self.secret = secret
        self.names = tuple(field.name for field in fields(cls))
        hints = get_type_hints(cls)
        self.converters = {name: self._converter(name, hints[name]) for name in self.names}
        self.convert = tuple((name, self.converters[name].encode) for name in self.names if self.converters[name].encode)
        self.plan = tuple((name, self.converters[name].plain, self.converters[name].decode) for name in self.names)
        self.known = envelope.union(self.names, (_TYPE, _VERSION), () if secret is None else (_SEALED,))
        self.when_sealed = dict.fromkeys(() if secret is None else secret.fields)
        self.get = _getter(self.names)
        self._check_secrets(public)

    def _converter(self, name: str, hint: object) -> Converter:
        try:
            return converter_for(hint)
        except ConvertError as error:
            raise CodecError(f"{self.tag}.{name}: {error}") from None

    def _check_secrets(self, public: Collection[str]) -> None:
        may_hide = self.secret.fields if self.secret is not None else frozenset[str]()
        for name in (*may_hide, *public):
            if name not in self.converters:
                raise CodecError(f"{self.tag} has no field {name}")
        for name in self.names:
            if name in may_hide and not self.converters[name].optional:
                raise CodecError(f"{self.tag}.{name} may be hidden, so its type must allow None")
            if self.converters[name].has_card and (name in may_hide) == (name in public):
                raise CodecError(f"{self.tag}.{name} holds a card: name it public or secret")


def _getter(names: tuple[str, ...]) -> Callable[[Any], Iterable[Any]]:
    match names:
        case ():
            return lambda _: ()
        case (name,):
            get_one = attrgetter(name)
            return lambda event: (get_one(event),)
        case _:
            return attrgetter(*names)


class Codec:
    """A registry of event types. Register at composition, then encode and decode; it holds no other state."""

    def __init__(self, *, envelope: Collection[str] = ("epoch",)) -> None:
        """``envelope``: keys that may stand in a body beside an event's own fields."""
        self._envelope = frozenset(envelope)
        self._by_tag: dict[str, _Compiled] = {}
        self._by_class: dict[type, _Compiled] = {}
        self._upcasters: dict[tuple[str, int], Upcaster] = {}

    def register(
        self, tag: str, cls: type[E], *, version: int = 1, secret: Secret[E] | None = None, public: Collection[str] = ()
    ) -> None:
        """Bind the frozen dataclass ``cls`` to ``tag`` for good. A field that holds a card must be in ``secret`` or ``public``.

        ``CodecError`` when tag or class is taken, a field's type has no journal form, or a card's secrecy is not decided.
        """
        if tag in self._by_tag or cls in self._by_class:
            raise CodecError(f"{tag} or {cls.__name__} is registered twice")
        if not is_dataclass(cls) or not cls.__dataclass_params__.frozen:  # type: ignore[attr-defined]
            raise CodecError(f"{tag}: {cls.__name__} is no frozen dataclass")
        compiled = _Compiled(tag, cls, version, secret, public, self._envelope)
        taken = _OWN.intersection(compiled.names)
        if taken:
            raise CodecError(f"{tag}: the field name {min(taken)} is the codec's own")
        self._by_tag[tag] = self._by_class[cls] = compiled

    def register_upcaster(self, tag: str, version: int, upcast: Upcaster) -> None:
        """Read bodies of ``tag`` at ``version`` through ``upcast``, which gives the body of a later version or another tag."""
        if (tag, version) in self._upcasters:
            raise CodecError(f"{tag} version {version} has an upcaster already")
        self._upcasters[tag, version] = upcast

    def tag_of(self, cls: type) -> str:
        """The tag of a registered class."""
        return self._compiled_for(cls).tag

    def shapes(self) -> tuple[tuple[str, int, tuple[str, ...]], ...]:
        """Tag, version and field names of every registered type, those of objects in a field too (``field.inner``): what a body
        of this release looks like."""
        return tuple((tag, compiled.version, with_inner(compiled.converters)) for tag, compiled in sorted(self._by_tag.items()))

    def reads(self, tag: str, version: int) -> bool:
        """Whether a body of ``tag`` at ``version`` is today's or has an upcaster."""
        compiled = self._by_tag.get(tag)
        return (compiled is not None and compiled.version == version) or (tag, version) in self._upcasters

    def readable(self) -> frozenset[tuple[str, int]]:
        """Tag and version of every body that this release reads."""
        return frozenset(self._upcasters) | {(tag, compiled.version) for tag, compiled in self._by_tag.items()}

    def _compiled_for(self, cls: type) -> _Compiled:
        compiled = self._by_class.get(cls)
        if compiled is None:
            raise CodecError(f"{cls.__name__} is not registered")
        return compiled

    def encode(self, event: object, *, seal: Seal | None = None) -> Body:
        """The body of ``event``. ``CodecError`` when its class is unknown, or it hides fields and there is no ``seal``."""
        compiled = self._compiled_for(type(event))
        body: dict[str, Any] = dict(zip(compiled.names, compiled.get(event), strict=True))
        hidden = self._take_hidden(compiled, event, body) if compiled.secret is not None else ()
        for name, encode in compiled.convert:
            if name in body and encode is not None:
                body[name] = encode(body[name])
        body[_TYPE] = compiled.tag
        if compiled.version != 1:
            body[_VERSION] = compiled.version
        if hidden:
            if seal is None:
                raise CodecError(f"{compiled.tag} hides {', '.join(hidden)} and there is no key to seal it")
            body[_SEALED] = b64encode(seal(compiled.tag, event, hidden)).decode()
        return body

    @staticmethod
    def _take_hidden(compiled: _Compiled, event: object, body: dict[str, Any]) -> tuple[str, ...]:
        secret = compiled.secret
        if secret is None:
            return ()
        hidden = tuple(sorted(secret.hidden(event)))
        for name in hidden:
            if name not in secret.fields:
                raise CodecError(f"{compiled.tag} hides {name}, which is not among its secrets")
            del body[name]
        return hidden

    def decode(self, body: Mapping[str, JsonValue], *, unseal: Unseal | None = None) -> Any:
        """The event of ``body``. Without ``unseal`` (no key, or none wanted) its hidden fields are ``None``.

        ``CodecError`` for an unknown tag or version, a missing or extra field, or a value of another type.
        """
        plain = self._decode_plain(body) if unseal is None else None
        if plain is not None:
            return plain
        current = self._upcast(dict(body))
        tag = current[_TYPE]
        compiled = self._by_tag.get(tag) if isinstance(tag, str) else None
        if compiled is None:
            raise CodecError(f"the event type {tag!r} is unknown{NEWER}")
        if current.get(_VERSION, 1) != compiled.version:
            given = current.get(_VERSION, 1)
            newer = NEWER if isinstance(given, int) and given > compiled.version else ""
            raise CodecError(f"{tag}: this release reads version {compiled.version} and has no upcaster for the body's{newer}")
        values = self._values(compiled, current)
        missing = tuple(name for name in compiled.names if name not in values)
        if missing:
            self._fill_hidden(compiled, current, values, missing, unseal)
        return compiled.cls(**values)

    def _decode_plain(self, body: Mapping[str, JsonValue]) -> Any:
        """The event of a body of today's version, read without a key: most of them are. ``None`` for any other, and for one that
        does not fit: the long way tells what is wrong with it."""
        tag, version = body.get(_TYPE), body.get(_VERSION, 1)
        compiled = self._by_tag.get(tag) if isinstance(tag, str) else None
        if compiled is None or version != compiled.version or (tag, version) in self._upcasters:
            return None
        if not body.keys() <= compiled.known:
            return None
        fields = {**compiled.when_sealed, **body} if _SEALED in body else body
        values = []
        try:
            for name, kind, convert in compiled.plan:
                value = fields[name]
                values.append(value if type(value) is kind else convert(value))
        except (ConvertError, KeyError):
            return None
        return compiled.cls(*values)

    def _upcast(self, body: Body) -> Body:
        for _ in range(MAX_UPCASTS):
            tag, version = body.get(_TYPE), body.get(_VERSION, 1)
            upcast = self._upcasters.get((tag, version)) if isinstance(tag, str) and type(version) is int else None
            if upcast is None:
                if not isinstance(tag, str):
                    raise CodecError("the body names no type")
                return body
            body = upcast(body)
        raise CodecError(f"{body.get(_TYPE)!r} is not today's after {MAX_UPCASTS} upcasts")

    def _values(self, compiled: _Compiled, body: Body) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for name, value in body.items():
            converter = compiled.converters.get(name)
            if converter is None:
                if name not in _OWN and name not in self._envelope:
                    raise CodecError(f"{compiled.tag} has no field {name}")
                continue
            try:
                values[name] = converter.decode(value)
            except ConvertError as error:
                raise CodecError(f"{compiled.tag}.{name}: {error}") from None
        if _SEALED in body and compiled.secret is None:
            raise CodecError(f"{compiled.tag} hides nothing, but its body is sealed")
        return values

    @staticmethod
    def _fill_hidden(
        compiled: _Compiled, body: Body, values: dict[str, Any], missing: tuple[str, ...], unseal: Unseal | None
    ) -> None:
        may_hide = compiled.secret.fields if compiled.secret is not None and _SEALED in body else frozenset[str]()
        for name in missing:
            if name not in may_hide:
                raise CodecError(f"{compiled.tag} lacks the field {name}")
        opened: Mapping[str, object] = {}
        if unseal is not None:
            opened = unseal(compiled.tag, body, _box(compiled.tag, body[_SEALED]))
        for name in missing:
            values[name] = opened.get(name)


def _box(tag: str, text: JsonValue) -> bytes:
    try:
        if isinstance(text, str):
            return b64decode(text, validate=True)
    except (Base64Error, ValueError):
        pass
    raise CodecError(f"{tag}.sealed is not base64")
