"""The table of formats: which are read, by which module, and what each needs."""

from __future__ import annotations

from importlib.util import find_spec
from typing import NamedTuple

#: The format of files with one message after another.
MAILBOX = "mbox"

#: The extra that installs the packages.
EXTRA = "documents"


class Format(NamedTuple):
    """A format of files.

    Attributes:
        name: its name in counts.
        title: its name for people.
        extensions: the extensions of such files.
        module: the module here that reads it; None if there is no such module.
        package: the package that the module needs.
        many: whether a file holds many documents, which are read one after another.
        takes: options of reading that the module uses besides the limits.
        convert: a common program that converts such a file to text, in the form for ``--convert``.
        refusal: why such files cannot be read.
    """

    name: str
    title: str
    extensions: tuple[str, ...]
    module: str | None = None
    package: str | None = None
    many: bool = False
    takes: tuple[str, ...] = ()
    convert: str | None = None
    refusal: str = ""

    def holds(self, name: str) -> bool:
        """Return whether a file of this name is likely to hold documents besides itself."""
        if self.name == "compressed":
            return ".tar." in name or name.endswith((".tgz", ".tbz2", ".txz"))
        return self.many or self.name == "mail"

    @property
    def installed(self) -> bool:
        """Return whether its package is installed."""
        return self.package is None or find_spec(self.package) is not None

    @property
    def readable(self) -> bool:
        """Return whether it can be read here."""
        return self.module is not None and self.installed

    @property
    def advice(self) -> str:
        """Return what to do if it is not read."""
        ways = []
        if self.module and not self.installed:
            ways = [f"pip install 'ilk[{EXTRA}]'", f"in a clone of ilk: pip install '.[{EXTRA}]'"]
        if self.convert:
            ways.append(f"--convert '{self.extensions[0][1:]}={self.convert}'")
        return " or ".join(ways)


FORMATS = {
    one.name: one
    for one in (
        Format(
            "pdf", "PDF", (".pdf",), "pdf", "pypdfium2", takes=("ocr",), convert="pdftotext {} -"
        ),
        Format("docx", "Word", (".docx", ".docm", ".dotx", ".dotm"), "wordprocessing"),
        Format(
            "pptx",
            "PowerPoint",
            (".pptx", ".pptm", ".ppsx", ".ppsm", ".potx", ".potm"),
            "presentation",
        ),
        Format(
            "sheets",
            "spreadsheets",
            (".xlsx", ".xlsm", ".xltx", ".xltm", ".xlsb", ".xls", ".ods"),
            "sheets",
            "python_calamine",
            convert="xlsx2csv {}",
        ),
        Format("odf", "OpenDocument", (".odt", ".odp", ".ott", ".otp"), "opendocument"),
        Format("epub", "EPUB", (".epub",), "epub"),
        Format("fb2", "FictionBook", (".fb2",), "fictionbook"),
        Format("rtf", "rich text", (".rtf",), "rtf", "striprtf", convert="unrtf --text {}"),
        Format("mail", "messages", (".eml", ".mht", ".mhtml"), "mail", takes=("replies",)),
        Format(MAILBOX, "mailboxes", (".mbox",), "mbox", many=True),
        Format("notebook", "notebooks", (".ipynb",), "notebook"),
        Format("subtitles", "subtitles", (".srt", ".vtt"), "subtitles"),
        Format("zip", "ZIP", (".zip",), "zips", many=True),
        Format("tar", "tar", (".tar",), "tars", many=True),
        Format(
            "compressed",
            "compressed",
            (".gz", ".bz2", ".xz", ".zst", ".tgz", ".tbz2", ".txz"),
            "compressed",
            many=True,
        ),
        Format("doc", "Word to 2003", (".doc", ".dot"), convert="antiword {}"),
        Format("ppt", "PowerPoint to 2003", (".ppt", ".pps"), convert="catppt {}"),
        Format("msg", "Outlook", (".msg",), convert="msgconvert --outfile - {}"),
        Format("djvu", "DjVu", (".djvu", ".djv"), convert="djvutxt {}"),
        Format(
            "encrypted",
            "Office documents with a password",
            (),
            refusal="is encrypted; save it without a password",
        ),
    )
}

#: Formats by extension.
BY_EXTENSION = {extension: one.name for one in FORMATS.values() for extension in one.extensions}
