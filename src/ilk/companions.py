"""What the packages beside the core use of its rooms, besides ``ilk`` and ``ilk.plugins``.

They have the version of the core and change with it: no name here is promised to anybody else.
Wrong arguments raise the errors that ``ilk.plugins`` describes.
"""

from __future__ import annotations

from ilk.base.lazy import lazy_attributes

TYPE_CHECKING = False
if TYPE_CHECKING:
    # Errors, options, how a task runs, progress.
    from ilk.base import errors, portable, resources
    from ilk.base.arguments import refuse_idle_or_unknown_arguments
    from ilk.base.closing import Closing
    from ilk.base.kinds import Size, SizeRange
    from ilk.base.options import CONTAINMENT, default
    from ilk.base.compression import CODECS
    from ilk.base.json_text import parse_json
    from ilk.base.progress import StepTimer, ignore_progress
    from ilk.base.run_options import ALONE

    # Verbs: options, output, what is said.
    from ilk.cli.store import CREATING, new_store_options

    # Sources of rows and documents: what a reader returns, and what it may use.
    from ilk import read
    from ilk.read import Collection
    from ilk.read.encodings.decoding import Decoded, decode_page_unless_binary
    from ilk.read.files.content import (
        Unreadable,
        unescape_source_name,
    )
    from ilk.read.formats.archives import has_bytes_beside_files, open_zip_within_limits
    from ilk.read.formats.parts import HEADERS, UNREAD
    from ilk.read.formats.unshown import (
        add_markup_beside_text_to,
        add_embedded_and_typed_to,
    )
    from ilk.read.formats.child_pool import open_threads
    from ilk.read.pages import Pages
    from ilk.read.rows.dataset import DataSet
    from ilk.read.rows.opening import open_data_set
    from ilk.read.rows.arrow import ArrowRows, PartAndFaultCounts, NumberedBatch
    from ilk.read.rows.sources import Repeat, Revisit, Signature, SourceRow, choose_every_row
    from ilk.read.rows.kinds import ADDRESS, JSON_LINES, PARQUET, is_address_or_partitioned_glob
    from ilk.read.rows.streams import split_codec_and_extension
    from ilk.read.rows.table_sources import ScannedRows
    from ilk.read.rows.writing import BytesWriter

    # Steps between reading and writing: evidence, joins, ranking, the judge, Arrow columns.
    from ilk import _kernels as kernels
    from ilk.arrow import verdicts
    from ilk.fingerprints.digest import (
        text_digests_null_if_blank,
        find_representatives,
        mark_representatives,
    )
    from ilk.fingerprints.texts import (
        feature_sets_empty_for_null,
        fingerprint_texts,
        make_fingerprint_way,
    )
    from ilk.fingerprints.recipe import SIMILARITY_INDEX, check_recipe
    from ilk.search import clustering, evidence_joins, measures, noise_evidence, search_plan
    from ilk.search.alarms import AlarmLimits
    from ilk.search.clustering import membership_of_documents
    from ilk.search.base_text import query_with_base_text_if_given
    from ilk.search.counting import Counting
    from ilk.search.differences import folded_word_changes_and_moves
    from ilk.search.evidence import LARGE, Evidence, Thresholds
    from ilk.search.read_documents import ReadDocuments, read_documents_with_evidence
    from ilk.search.judging import judge_every_candidate_by_sets
    from ilk.search.measures import format_percent
    from ilk.search.meeting import Meeting, parse_times_in_microseconds
    from ilk.search.noisy_copies import NoisyCopies
    from ilk.search.search_plan import SearchPlan
    from ilk.search.query import NOMINATING, Query
    from ilk.search.ranking import (
        CENTRAL,
        deciding_policies,
        order_documents_best_first,
        reasons_to_drop_or_null,
    )
    from ilk.search.report import LARGEST
    from ilk.search.report import report_head
    from ilk.search.search import Search
    from ilk.search.sites import ids_or_declared_links_or_null
    from ilk.search.staying import HELD

    # Tables of other tools, the store, tasks, plans and labels, results and pages as files.
    from ilk.store import KEY, Added, ClientDocument, Match, StoreRecord, check_client_id
    from ilk.store.sync import DocumentFile
    from ilk.tables.frames import deduplicate_refusing_file_options
    from ilk.tasks import pipeline
    from ilk.tasks import labels as labelling
    from ilk.tasks import row_plan as row_plans
    from ilk.tasks.apply import file_plan as file_plans
    from ilk.tasks.apply import store_plan
    from ilk.tasks.steps import progress_steps_of_reading_sources
    from ilk.tasks.apply.journal import parse_json_object_or_none
    from ilk.tasks.labels import merge_labels_and_count_changes
    from ilk import write
    from ilk.write import pages, plots, side_by_side
    from ilk.write.accounts import CLUSTERS
    from ilk.write.folder_lines import TwinFolder, is_below_folder_or_is_archive, spell_relation
else:
    _PLACES = {
        # Names, by scripts/make-signatures.
        "errors": "ilk.base.errors",
        "portable": "ilk.base.portable",
        "resources": "ilk.base.resources",
        "refuse_idle_or_unknown_arguments": "ilk.base.arguments:refuse_idle_or_unknown_arguments",
        "Closing": "ilk.base.closing:Closing",
        "Size": "ilk.base.kinds:Size",
        "SizeRange": "ilk.base.kinds:SizeRange",
        "CONTAINMENT": "ilk.base.options:CONTAINMENT",
        "default": "ilk.base.options:default",
        "CODECS": "ilk.base.compression:CODECS",
        "parse_json": "ilk.base.json_text:parse_json",
        "StepTimer": "ilk.base.progress:StepTimer",
        "ignore_progress": "ilk.base.progress:ignore_progress",
        "ALONE": "ilk.base.run_options:ALONE",
        "CREATING": "ilk.cli.store:CREATING",
        "new_store_options": "ilk.cli.store:new_store_options",
        "read": "ilk.read",
        "Collection": "ilk.read:Collection",
        "Decoded": "ilk.read.encodings.decoding:Decoded",
        "decode_page_unless_binary": "ilk.read.encodings.decoding:decode_page_unless_binary",
        "Unreadable": "ilk.read.files.content:Unreadable",
        "unescape_source_name": "ilk.read.files.content:unescape_source_name",
        "has_bytes_beside_files": "ilk.read.formats.archives:has_bytes_beside_files",
        "open_zip_within_limits": "ilk.read.formats.archives:open_zip_within_limits",
        "HEADERS": "ilk.read.formats.parts:HEADERS",
        "UNREAD": "ilk.read.formats.parts:UNREAD",
        "add_markup_beside_text_to": "ilk.read.formats.unshown:add_markup_beside_text_to",
        "add_embedded_and_typed_to": "ilk.read.formats.unshown:add_embedded_and_typed_to",
        "open_threads": "ilk.read.formats.child_pool:open_threads",
        "Pages": "ilk.read.pages:Pages",
        "DataSet": "ilk.read.rows.dataset:DataSet",
        "open_data_set": "ilk.read.rows.opening:open_data_set",
        "ArrowRows": "ilk.read.rows.arrow:ArrowRows",
        "PartAndFaultCounts": "ilk.read.rows.arrow:PartAndFaultCounts",
        "NumberedBatch": "ilk.read.rows.arrow:NumberedBatch",
        "Repeat": "ilk.read.rows.sources:Repeat",
        "Revisit": "ilk.read.rows.sources:Revisit",
        "Signature": "ilk.read.rows.sources:Signature",
        "SourceRow": "ilk.read.rows.sources:SourceRow",
        "choose_every_row": "ilk.read.rows.sources:choose_every_row",
        "ADDRESS": "ilk.read.rows.kinds:ADDRESS",
        "JSON_LINES": "ilk.read.rows.kinds:JSON_LINES",
        "PARQUET": "ilk.read.rows.kinds:PARQUET",
        "is_address_or_partitioned_glob": "ilk.read.rows.kinds:is_address_or_partitioned_glob",
        "split_codec_and_extension": "ilk.read.rows.streams:split_codec_and_extension",
        "ScannedRows": "ilk.read.rows.table_sources:ScannedRows",
        "BytesWriter": "ilk.read.rows.writing:BytesWriter",
        "kernels": "ilk._kernels",
        "verdicts": "ilk.arrow.verdicts",
        "text_digests_null_if_blank": "ilk.fingerprints.digest:text_digests_null_if_blank",
        "find_representatives": "ilk.fingerprints.digest:find_representatives",
        "mark_representatives": "ilk.fingerprints.digest:mark_representatives",
        "feature_sets_empty_for_null": "ilk.fingerprints.texts:feature_sets_empty_for_null",
        "fingerprint_texts": "ilk.fingerprints.texts:fingerprint_texts",
        "make_fingerprint_way": "ilk.fingerprints.texts:make_fingerprint_way",
        "SIMILARITY_INDEX": "ilk.fingerprints.recipe:SIMILARITY_INDEX",
        "check_recipe": "ilk.fingerprints.recipe:check_recipe",
        "clustering": "ilk.search.clustering",
        "evidence_joins": "ilk.search.evidence_joins",
        "measures": "ilk.search.measures",
        "noise_evidence": "ilk.search.noise_evidence",
        "search_plan": "ilk.search.search_plan",
        "AlarmLimits": "ilk.search.alarms:AlarmLimits",
        "membership_of_documents": "ilk.search.clustering:membership_of_documents",
        "query_with_base_text_if_given": "ilk.search.base_text:query_with_base_text_if_given",
        "Counting": "ilk.search.counting:Counting",
        "folded_word_changes_and_moves": "ilk.search.differences:folded_word_changes_and_moves",
        "LARGE": "ilk.search.evidence:LARGE",
        "Evidence": "ilk.search.evidence:Evidence",
        "Thresholds": "ilk.search.evidence:Thresholds",
        "ReadDocuments": "ilk.search.read_documents:ReadDocuments",
        "read_documents_with_evidence": "ilk.search.read_documents:read_documents_with_evidence",
        "judge_every_candidate_by_sets": "ilk.search.judging:judge_every_candidate_by_sets",
        "format_percent": "ilk.search.measures:format_percent",
        "Meeting": "ilk.search.meeting:Meeting",
        "parse_times_in_microseconds": "ilk.search.meeting:parse_times_in_microseconds",
        "NoisyCopies": "ilk.search.noisy_copies:NoisyCopies",
        "SearchPlan": "ilk.search.search_plan:SearchPlan",
        "NOMINATING": "ilk.search.query:NOMINATING",
        "Query": "ilk.search.query:Query",
        "CENTRAL": "ilk.search.ranking:CENTRAL",
        "deciding_policies": "ilk.search.ranking:deciding_policies",
        "order_documents_best_first": "ilk.search.ranking:order_documents_best_first",
        "reasons_to_drop_or_null": "ilk.search.ranking:reasons_to_drop_or_null",
        "LARGEST": "ilk.search.report:LARGEST",
        "report_head": "ilk.search.report:report_head",
        "Search": "ilk.search.search:Search",
        "ids_or_declared_links_or_null": "ilk.search.sites:ids_or_declared_links_or_null",
        "HELD": "ilk.search.staying:HELD",
        "KEY": "ilk.store:KEY",
        "Added": "ilk.store:Added",
        "ClientDocument": "ilk.store:ClientDocument",
        "Match": "ilk.store:Match",
        "StoreRecord": "ilk.store:StoreRecord",
        "check_client_id": "ilk.store:check_client_id",
        "DocumentFile": "ilk.store.sync:DocumentFile",
        "deduplicate_refusing_file_options": "ilk.tables.frames:deduplicate_refusing_file_options",
        "pipeline": "ilk.tasks.pipeline",
        "labelling": "ilk.tasks.labels",
        "row_plans": "ilk.tasks.row_plan",
        "file_plans": "ilk.tasks.apply.file_plan",
        "store_plan": "ilk.tasks.apply.store_plan",
        "progress_steps_of_reading_sources": "ilk.tasks.steps:progress_steps_of_reading_sources",
        "parse_json_object_or_none": "ilk.tasks.apply.journal:parse_json_object_or_none",
        "merge_labels_and_count_changes": "ilk.tasks.labels:merge_labels_and_count_changes",
        "write": "ilk.write",
        "pages": "ilk.write.pages",
        "plots": "ilk.write.plots",
        "side_by_side": "ilk.write.side_by_side",
        "CLUSTERS": "ilk.write.accounts:CLUSTERS",
        "TwinFolder": "ilk.write.folder_lines:TwinFolder",
        "is_below_folder_or_is_archive": "ilk.write.folder_lines:is_below_folder_or_is_archive",
        "spell_relation": "ilk.write.folder_lines:spell_relation",
        # End of what is written.
    }
    __getattr__ = lazy_attributes(__name__, _PLACES)
