"""Journal forms of field types: a pair of conversions per type, found once when an event type is registered."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from operator import attrgetter
from typing import Any, Final, Literal, NewType, NoReturn, TypeAlias, Union, get_args, get_origin, get_type_hints

from controller.hand.cards import Card, parse_card
from controller.hand.places import SeatPlace, Spot, parse_place

Encode: TypeAlias = Callable[[Any], Any]
Decode: TypeAlias = Callable[[Any], Any]


class ConvertError(ValueError):
    """A type has no journal form, or a value is not of its type. Never tells the value."""


@dataclass(frozen=True, slots=True)
class Converter:
    """How values of one type enter and leave a body. ``encode`` is ``None`` where the value is its own form."""

    encode: Encode | None
    decode: Decode
    has_card: bool = False
    optional: bool = False
    plain: type | None = None
    """The type whose values stand in a body as they are, where it is one that JSON has."""
    names: tuple[str, ...] = ()
    """Fields of the objects in it, ``outer.inner`` where one lies in another."""


def converter_for(hint: object) -> Converter:
    """The converter of a declared type: ``int``, ``str``, ``bool``, ``bytes`` (hexadecimal), enums by value, ``Card``, ``Place``,
    ``X | None``, ``Literal``, tuples of fixed or any length (lists), named tuples and frozen dataclasses (objects), nested as
    deep as declared. ``ConvertError`` for anything else.
    """
    if isinstance(hint, NewType):
        return converter_for(hint.__supertype__)
    if isinstance(hint, type) and get_origin(hint) is None:
        return _converter_for_class(hint)
    origin, args = get_origin(hint), get_args(hint)
    if origin is tuple:
        return _tuple_of(args)
    if origin is Literal:
        return _literal(args)
    if origin is Union or origin is types.UnionType:
        return _union(args)
    raise ConvertError(f"the type {hint} has no journal form")


def _converter_for_class(cls: type) -> Converter:
    plain = _PLAIN.get(cls)
    if plain is not None:
        return plain
    if cls is SeatPlace or cls is Spot:
        return _place((cls,))
    if issubclass(cls, Enum):
        return _enum(cls)
    if is_dataclass(cls) and cls.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        return _nested(cls, tuple(field.name for field in fields(cls)))
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return _nested(cls, cls._fields)
    raise ConvertError(f"the type {cls.__name__} has no journal form")


def _refuse(what: str) -> NoReturn:
    raise ConvertError(f"not {what}")


def _exactly(cls: type, what: str) -> Decode:
    def decode(value: object) -> object:
        return value if type(value) is cls else _refuse(what)

    return decode


def _decode_bytes(value: object) -> bytes:
    try:
        if isinstance(value, str):
            return bytes.fromhex(value)
    except ValueError:
        pass
    _refuse("bytes in hexadecimal")


def _decode_card(value: object) -> Card:
    try:
        if isinstance(value, str):
            return parse_card(value)
    except ValueError:
        pass
    _refuse("a card")


_PLAIN: Final[dict[type, Converter]] = {
    int: Converter(None, _exactly(int, "a whole number"), plain=int),
    str: Converter(None, _exactly(str, "text"), plain=str),
    bool: Converter(None, _exactly(bool, "true or false"), plain=bool),
    bytes: Converter(bytes.hex, _decode_bytes),
    Card: Converter(attrgetter("text"), _decode_card, has_card=True),
}


def _enum(cls: type[Enum]) -> Converter:
    members = {(type(member.value), member.value): member for member in cls}
    for kind, _ in members:
        if kind is not int and kind is not str:
            raise ConvertError(f"the enum {cls.__name__} has values that are neither text nor whole numbers")

    def decode(value: object) -> Enum:
        member = members.get((type(value), value)) if isinstance(value, int | str) else None
        return member if member is not None else _refuse(f"a value of {cls.__name__}")

    return Converter(attrgetter("value"), decode)


def _place(classes: tuple[type, ...]) -> Converter:
    def decode(value: object) -> object:
        try:
            if isinstance(value, str):
                place = parse_place(value)
                if isinstance(place, classes):
                    return place
        except ValueError:
            pass
        _refuse("a place")

    return Converter(str, decode)


def _literal(args: tuple[object, ...]) -> Converter:
    if not all(type(arg) in (int, str) for arg in args):
        raise ConvertError("a Literal may name text and whole numbers alone")
    allowed = frozenset((type(arg), arg) for arg in args)

    def decode(value: object) -> object:
        return value if isinstance(value, int | str) and (type(value), value) in allowed else _refuse("one of the allowed values")

    return Converter(None, decode)


def _union(args: tuple[object, ...]) -> Converter:
    optional = type(None) in args
    rest = tuple(arg for arg in args if arg is not type(None))
    if rest and all(arg is SeatPlace or arg is Spot for arg in rest):
        inner = _place(tuple(arg for arg in rest if isinstance(arg, type)))
    elif len(rest) == 1:
        inner = converter_for(rest[0])
    else:
        raise ConvertError("a union of several types has no journal form: only X | None has")
    return _or_none(inner) if optional else inner


def _or_none(inner: Converter) -> Converter:
    encode_inner, decode_inner = inner.encode, inner.decode

    def encode(value: object) -> object:
        return None if value is None or encode_inner is None else encode_inner(value)

    def decode(value: object) -> object:
        return None if value is None else decode_inner(value)

    return Converter(None if encode_inner is None else encode, decode, inner.has_card, optional=True, names=inner.names)


def _tuple_of(args: tuple[object, ...]) -> Converter:
    if len(args) == 2 and args[1] is Ellipsis:
        return _tuple_any_length(converter_for(args[0]))
    return _tuple_fixed(tuple(converter_for(arg) for arg in args))


def _tuple_any_length(inner: Converter) -> Converter:
    encode_inner, decode_inner = inner.encode, inner.decode

    def encode(value: tuple[object, ...]) -> list[object]:
        return [encode_inner(item) for item in value] if encode_inner is not None else list(value)

    def decode(value: object) -> tuple[object, ...]:
        return tuple([decode_inner(item) for item in value]) if isinstance(value, list) else _refuse("a list")

    return Converter(encode, decode, inner.has_card, names=inner.names)


def _tuple_fixed(inner: tuple[Converter, ...]) -> Converter:
    encoders = tuple(converter.encode or _same for converter in inner)
    decoders = tuple(converter.decode for converter in inner)

    def encode(value: tuple[object, ...]) -> list[object]:
        return [encode_item(item) for encode_item, item in zip(encoders, value, strict=True)]

    def decode(value: object) -> tuple[object, ...]:
        if not isinstance(value, list) or len(value) != len(decoders):
            _refuse(f"a list of {len(decoders)}")
        return tuple([decode_item(item) for decode_item, item in zip(decoders, value, strict=True)])

    names = tuple(name for converter in inner for name in converter.names)
    return Converter(encode, decode, any(converter.has_card for converter in inner), names=names)


def _same(value: object) -> object:
    return value


def _nested(cls: type, names: tuple[str, ...]) -> Converter:
    hints = get_type_hints(cls)
    inner = {name: _named(cls, name, hints[name]) for name in names}
    encoders = tuple((name, attrgetter(name), inner[name].encode or _same) for name in names)

    def encode(value: object) -> dict[str, object]:
        return {name: encode_field(get(value)) for name, get, encode_field in encoders}

    def decode(value: object) -> object:
        if not isinstance(value, dict) or value.keys() != inner.keys():
            _refuse(f"an object with the fields of {cls.__name__}")
        return cls(**{name: inner[name].decode(item) for name, item in value.items()})

    return Converter(encode, decode, any(converter.has_card for converter in inner.values()), names=with_inner(inner))


def with_inner(converters: Mapping[str, Converter]) -> tuple[str, ...]:
    """The names of fields, and behind each those of the objects in it."""
    return tuple(
        full for name, converter in converters.items() for full in (name, *(f"{name}.{inner}" for inner in converter.names))
    )


def _named(cls: type, name: str, hint: object) -> Converter:
    try:
        return converter_for(hint)
    except ConvertError as error:
        raise ConvertError(f"{cls.__name__}.{name}: {error}") from None
