"""`make documents`: brings the real documents that this machine does not have yet into the user's cache."""

import sys

from tests.real_documents.bringing import bring_missing
from tests.real_documents.documents import cache_folder, document_places, read_manifest

if __name__ == "__main__":
    failed = bring_missing(read_manifest(), document_places(), cache_folder())
    sys.exit(1 if failed else 0)
