"""The interface for plug-ins and companion packages; names are loaded when they are first used.

A name that is not in ``ilk`` itself or here may change without notice. Arguments are of the kinds
that signatures name; others raise an error of ilk, of Python or of Arrow, such as a ``TypeError``,
``AttributeError``, ``KeyError`` or ``OverflowError``. No call exits the process or hangs.
"""

from __future__ import annotations

from ilk.base.lazy import lazy_attributes

TYPE_CHECKING = False
if TYPE_CHECKING:
    # Errors, options, how a task runs, progress.
    from ilk.base import errors, portable, resources
    from ilk.base.closing import Closing
    from ilk.base.errors import AlarmRaised, ColumnTypeError, DatabaseError, IdError, MissingExtra
    from ilk.base.errors import NothingRead, OptionError, OutputError, PlanError, RecipeMismatch
    from ilk.base.errors import SourceDamaged, SourceNotFound
    from ilk.base.kinds import Choice, Flag, Seconds, Text, Whole
    from ilk.base.options import CONTAINMENT, Option, check_option, default
    from ilk.base.packing import CODECS
    from ilk.base.json_text import parse_json
    from ilk.base.progress import Meter, Progress, Step, Timed, expect, accept_progress, silent
    from ilk.base.run_options import ALONE, Running
    from ilk.base.terminal import printable

    # Verbs: options, output, what is said.
    from ilk.cli import options, output
    from ilk.cli.options import Adder, argument, group
    from ilk.cli.wording import note, print_refusal, spell_options
    from ilk.search.measures import count_noun
    from ilk.cli.store import CREATING, new_store_options

    # Sources of rows and documents: what a reader returns, and what it may use.
    from ilk import read
    from ilk.read import Collection, Reading, ReadReport, read_one
    from ilk.read.encodings.decoding import Decoded, decode, decode_page
    from ilk.read.encodings.kinds import HEAD, is_binary
    from ilk.read.files.content import Unreadable, enclosing, extension, path_of
    from ilk.read.formats.archives import opened_zip
    from ilk.read.formats.parts import HEADERS, LAYOUT, DocumentPart, DocumentText, Left
    from ilk.read.formats.parts import MemberPart, Unfit, Unread
    from ilk.read.formats.parts import Working
    from ilk.read.formats.table import recognise_format
    from ilk.read.formats.unshown import add_unshown
    from ilk.read.formats.children import working
    from ilk.read.layout import LAID_OUT
    from ilk.read.pages import Pages
    from ilk.read.reading import Reads, reads
    from ilk.read.rows.dataset import DataSet
    from ilk.read.rows.opening import open_any
    from ilk.read.rows.arrow import ArrowRows
    from ilk.read.rows.sources import Chosen, everything
    from ilk.read.rows.kinds import ADDRESS, JSON_LINES, PARQUET, Opener, is_queried
    from ilk.read.rows.sources import Counts, Names, Part, Rejected, Source, Stamp, Tell, Writer
    from ilk.read.rows.streams import bare
    from ilk.read.rows.table_sources import ScannedRows
    from ilk.read.rows.writing import BytesWriter

    # Steps between reading and writing: evidence, joins, ranking, the judge, Arrow columns.
    from ilk import _kernels as kernels
    from ilk import arrow
    from ilk.arrow import flat, verdicts
    from ilk.fingerprints.digest import digests, distinct, represents
    from ilk.fingerprints.texts import feature_sets, fingerprint_texts, way
    from ilk.fingerprints.recipe import SIMILARITY_INDEX, checked_recipe
    from ilk.search import clustering, evidence_joins, measures, noise_evidence, search_plan
    from ilk.search.alarms import AlarmLimits
    from ilk.search.clustering import assign_documents
    from ilk.search.differences import differences
    from ilk.search.evidence import LARGE, Evidence, Thresholds, evidence_builder
    from ilk.search.read_documents import ReadDocuments, gather
    from ilk.search.judging import verify
    from ilk.search.measures import percent
    from ilk.search.noisy_copies import NoisyCopies
    from ilk.search.search_plan import SearchPlan
    from ilk.search.query import NOMINATING, Query
    from ilk.search.ranking import CENTRAL, HELD, deciding, rank_documents, reasons
    from ilk.search.report import LARGEST
    from ilk.search.report import head as report_head
    from ilk.search.search import Search
    from ilk.search.sites import addresses

    # Tables of other tools, the store, tasks, plans and labels, results and pages as files.
    from ilk.store import KEY, Added, Entering, Match, StoreRecord, checked_id
    from ilk.tables.frames import deduplicate_table
    from ilk.tasks import pipeline
    from ilk.tasks import labels as labelling
    from ilk.tasks import row_plan as row_plans
    from ilk.tasks.apply import file_plan as file_plans
    from ilk.tasks.steps import expect_reading
    from ilk.tasks.apply.journal import row_of
    from ilk.tasks.apply.file_plan import DIFFERENT, DROP, KEEP, SAME
    from ilk.tasks.apply.staying import DROPS
    from ilk.tasks.labels import add_labels
    from ilk import write
    from ilk.write import pages, plots, side_by_side, whole_file
    from ilk.write.accounts import CLUSTERS
else:
    __getattr__ = lazy_attributes(__name__)
