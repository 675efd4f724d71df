"""TLS as this program speaks it: contexts from files, version 1.2 at least, and in one sentence why a connection failed."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from controller.whole_file import others_may_use

REVOKED: Final = "revoked.pem"
"""The list of revoked certificates of ``stud-table keys revoke``: where it lies beside the authority it is looked at."""
LEAST: Final = ssl.TLSVersion.TLSv1_2
_EXPIRED: Final = 10
_NOT_YET: Final = 9
_UNKNOWN: Final = frozenset((2, 18, 19, 20, 21))
_REVOKED: Final = 23
_NO_LIST: Final = frozenset((3, 8, 11, 12))
_OTHER_NAME: Final = frozenset((62, 64))
"""Codes of X.509 verification, as OpenSSL numbers them (x509_vfy.h)."""
_ALERTS: Final = {
    "CERTIFICATE_REVOKED": "it says that our certificate is revoked: issue another one with stud-table keys issue",
    "CERTIFICATE_EXPIRED": "it says that our certificate has expired: stud-table keys renew makes a new one",
    "UNKNOWN_CA": "it does not know the authority of our certificate: issue cert_file with the venue's stud-table keys",
    "BAD_CERTIFICATE": "it does not take our certificate: issue cert_file with the venue's stud-table keys",
    "CERTIFICATE_REQUIRED": "it asks for a certificate: set cert_file and key_file, from stud-table keys issue",
    "HANDSHAKE_FAILURE": "it found no common way to encrypt, or asks for a certificate: set cert_file and key_file",
    "PROTOCOL_VERSION": "it speaks no TLS from 1.2 on: bring it up to date",
    "UNSUPPORTED_PROTOCOL": "it speaks no TLS from 1.2 on: bring it up to date",
    "WRONG_VERSION_NUMBER": "it speaks no TLS there: name its TLS port, as 8883",
}
"""The other side's alerts, and what its first bytes were."""


class TlsError(ValueError):
    """Files that TLS cannot use. The message names file and way out, and nothing of a key."""


class HandshakeCut(ConnectionError):  # noqa: N818 - what happened
    """The other side closed the connection while both shook hands, and gave no reason."""


class _TellingSocket(ssl.SSLSocket):
    """Keeps what the other side said against us: from TLS 1.3 on that comes after the handshake, and paho but logs it."""

    alert: ssl.SSLError | None = None

    def recv(self, buflen: int = 1024, flags: int = 0) -> bytes:
        """As it is."""
        try:
            return super().recv(buflen, flags)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            raise
        except ssl.SSLError as error:
            self.alert = error
            raise


class _ClientContext(ssl.SSLContext):
    """Closes a connected socket whose handshake fails: paho, which shakes hands by itself, would leave it to the collector."""

    sslsocket_class = _TellingSocket

    def wrap_socket(self, *given: Any, **named: Any) -> ssl.SSLSocket:
        """As it is, with the handshake, which is over when it comes a second time."""
        wrapped = super().wrap_socket(*given, **named)
        try:
            wrapped.do_handshake()
        except (ConnectionError, ssl.SSLEOFError):
            wrapped.close()
            raise HandshakeCut("the connection was closed during the handshake") from None
        except BaseException:
            wrapped.close()
            raise
        return wrapped


def alert_of(sock: object) -> ssl.SSLError | None:
    """What the other side of a connection said against us; ``None`` when nothing, or when it is plain."""
    return sock.alert if isinstance(sock, _TellingSocket) else None


@dataclass(frozen=True, slots=True)
class ClientTls:
    """Which authority vouches for the other side, and the certificate that we show, if any.

    A ``revoked.pem`` beside the authority says whom it does not vouch for any more.
    """

    authority: Path
    certificate: Path | None = None
    key: Path | None = None

    def context(self) -> ssl.SSLContext:
        """As the files are now; the other side's name is checked. ``TlsError``."""
        context = _ClientContext(ssl.PROTOCOL_TLS_CLIENT)
        context.minimum_version = LEAST
        try:
            context.load_verify_locations(self.authority)
        except ssl.SSLError:
            raise TlsError(f"{self.authority} holds no authority's certificate: copy the venue's authority.pem there") from None
        except OSError as error:
            reason = f"{self.authority} cannot be read ({error.strerror})"
            raise TlsError(f"{reason}: copy the venue's authority.pem there") from None
        if (revoked := self.authority.with_name(REVOKED)).exists():
            _refuse(context, revoked)
        if self.certificate is not None and self.key is not None:
            _load(context, self.certificate, self.key)
        return context


@dataclass(frozen=True, slots=True)
class ServerTls:
    """The certificate of an address of ours and its key."""

    certificate: Path
    key: Path

    def context(self) -> ssl.SSLContext:
        """As the files are now. ``TlsError``."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = LEAST
        context.set_alpn_protocols(["http/1.1"])
        _load(context, self.certificate, self.key)
        return context

    def renew(self, context: ssl.SSLContext) -> None:
        """Let ``context`` show the files as they are now, in each handshake from now on. ``TlsError``, and nothing is changed,
        where they do not belong together."""
        self.context()
        _load(context, self.certificate, self.key)


def why_failed(error: BaseException) -> str:
    """Why TLS with the other side failed, with the way out; empty when it was not TLS that failed."""
    seen: BaseException | None = error
    while seen is not None and not isinstance(seen, ssl.SSLError | HandshakeCut):
        seen = seen.__cause__ or seen.__context__
    if isinstance(seen, ssl.SSLCertVerificationError):
        return _why_not_trusted(seen.verify_code)
    if isinstance(seen, HandshakeCut | ssl.SSLEOFError):
        return "it ended the handshake: name its TLS port, as 8883, and look into its log"
    if seen is None:
        return ""
    reason = seen.reason or ""
    said = next((said for alert, said in _ALERTS.items() if alert in reason), None)
    return said or f"TLS failed there ({reason or 'no reason given'}): look into its log"


def _why_not_trusted(code: int) -> str:
    if code == _EXPIRED:
        return "its certificate has expired: stud-table keys renew makes a new one, and this machine's clock must be right"
    if code == _NOT_YET:
        return "its certificate is not valid yet: set the clock of this machine, or of the one that issued it"
    if code in _UNKNOWN:
        return "ca_file does not vouch for its certificate: copy the authority.pem there by which it was issued"
    if code in _OTHER_NAME:
        return "its certificate is for another name: connect to a name in it, or issue it again with --host"
    if code in _NO_LIST:
        return "revoked.pem beside ca_file is no list of that authority: copy the authority's own there, or take it away"
    if code == _REVOKED:
        return "its certificate is revoked: issue another one with stud-table keys issue"
    return f"its certificate cannot be trusted (X.509 error {code}): look at it with openssl verify"


def _refuse(context: ssl.SSLContext, revoked: Path) -> None:
    """Whoever is on that list is not trusted."""
    try:
        context.load_verify_locations(revoked)
    except ssl.SSLError:
        raise TlsError(f"{revoked} is no list of revoked certificates: copy the authority's there, or take it away") from None
    except OSError as error:
        raise TlsError(f"{revoked} cannot be read ({error.strerror}): give it to this user (chmod 644)") from None
    context.verify_flags |= ssl.VERIFY_CRL_CHECK_LEAF


def _load(context: ssl.SSLContext, certificate: Path, key: Path) -> None:
    if others_may_use(key):
        raise TlsError(f"{key} may be read by others, who could pass for us: make it its owner's alone (chmod 600)")
    path = certificate
    try:
        for path in (certificate, key):
            path.read_bytes()
        context.load_cert_chain(certificate, key, password=lambda: "")
    except ssl.SSLError as error:
        if error.reason == "KEY_VALUES_MISMATCH":
            raise TlsError(f"{key} is not the key of {certificate}: put both there from one stud-table keys issue") from None
        raise TlsError(f"{certificate} and {key} are no certificate and its open key in PEM: issue them again") from None
    except OSError as error:
        reason = f"{path} cannot be read ({error.strerror})"
        raise TlsError(f"{reason}: put what stud-table keys issue made there, for this user") from None
