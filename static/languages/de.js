// @ts-check
/** German texts of the page; `tests/house/test_page_languages.py` says which are missing, and which nobody asks for. */
import { GERMAN_ERRORS } from "./de_errors.js";

/** @type {Record<string, string>} */
const TEXTS = {
  // Numbers of things
  "{0} operation|{0} operations": "{0} Operation|{0} Operationen",
  "{0} chat|{0} chats": "{0} Chat|{0} Chats",
  "{0} tool|{0} tools": "{0} Tool|{0} Tools",
  "{0} match|{0} matches": "{0} Treffer|{0} Treffer",
  "{0} flaw|{0} flaws": "{0} Mangel|{0} Mängel",
  "{0} item|{0} items": "{0} Eintrag|{0} Einträge",
  "{0} conversation|{0} conversations": "{0} Unterhaltung|{0} Unterhaltungen",
  "{0} entry|{0} entries": "{0} Eintrag|{0} Einträge",
  "{0} day|{0} days": "{0} Tag|{0} Tage",
  "{0} document|{0} documents": "{0} Dokument|{0} Dokumente",
  "{0} remark|{0} remarks": "{0} Hinweis|{0} Hinweise",
  "{0} more|{0} more": "{0} weiteres|{0} weitere",
  "{0} result|{0} results": "{0} Treffer|{0} Treffer",
  "{0} pinned tool|{0} pinned tools": "{0} angeheftetes Tool|{0} angeheftete Tools",
  "{0} token|{0} tokens": "{0} Token|{0} Tokens",
  "{0} request|{0} requests": "{0} Anfrage|{0} Anfragen",
  "{0} script|{0} scripts": "{0} Skript|{0} Skripte",

  // The frame
  "Skip to the content": "Zum Inhalt springen",
  Sections: "Bereiche",
  "Connecting…": "Verbindung wird aufgebaut …",
  "Opening the bridge…": "Bridge wird geöffnet …",

  // Settings
  "As the browser": "Wie im Browser",
  Language: "Sprache",
  "Language of this page": "Sprache dieser Seite",
};

/** @type {import("../base/texts.js").Catalog} */
export const GERMAN = { texts: TEXTS, errors: GERMAN_ERRORS };
