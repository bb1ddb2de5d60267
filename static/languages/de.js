// @ts-check
/** German texts of the page; `tests/house/test_page_languages.py` says which are missing, and which nobody asks for. */
import { GERMAN_ANSWERS } from "./de_answers.js";
import { GERMAN_BACKUP } from "./de_backup.js";
import { GERMAN_CALLS } from "./de_calls.js";
import { GERMAN_CHAT } from "./de_chat.js";
import { GERMAN_CONNECT } from "./de_connect.js";
import { GERMAN_DEVICES } from "./de_devices.js";
import { GERMAN_DOCUMENTS } from "./de_documents.js";
import { GERMAN_EDITS } from "./de_edits.js";
import { GERMAN_ENVIRONMENTS } from "./de_environments.js";
import { GERMAN_ERRORS } from "./de_errors.js";
import { GERMAN_LOGINS } from "./de_logins.js";
import { GERMAN_MODELS } from "./de_models.js";
import { GERMAN_REVIEW } from "./de_review.js";
import { GERMAN_SAVED } from "./de_saved.js";
import { GERMAN_SEARCH } from "./de_search.js";
import { GERMAN_SENTENCES } from "./de_sentences.js";
import { GERMAN_SERVERS } from "./de_servers.js";
import { GERMAN_SETTINGS } from "./de_settings.js";
import { GERMAN_TOOLS } from "./de_tools.js";
import { GERMAN_TRYING } from "./de_trying.js";

/** What several sections have, and what stands around them. @type {Record<string, string>} */
const TEXTS = {
  // Numbers of things
  "{0} operation|{0} operations": "{0} Operation|{0} Operationen",
  "{0} tool|{0} tools": "{0} Tool|{0} Tools",
  "{0} match|{0} matches": "{0} Treffer|{0} Treffer",
  "{0} item|{0} items": "{0} Eintrag|{0} Einträge",
  "{0} conversation|{0} conversations": "{0} Unterhaltung|{0} Unterhaltungen",
  "{0} document|{0} documents": "{0} Dokument|{0} Dokumente",
  "{0} more|{0} more": "{0} weiteres|{0} weitere",
  "{0} result|{0} results": "{0} Treffer|{0} Treffer",
  "{0} token|{0} tokens": "{0} Token|{0} Tokens",
  "{0} request|{0} requests": "{0} Anfrage|{0} Anfragen",

  // What was removed a moment ago
  Undo: "Rückgängig",
  "Undo: {0}": "Rückgängig: {0}",

  // What becomes a document
  "The curl command has no address.": "Der curl-Befehl hat keine Adresse.",
  "The curl command has a quote that is not closed.": "Im curl-Befehl ist ein Anführungszeichen nicht geschlossen.",
  "The curl command has “{0}” of a word processor: write its quotes as ' or \", and its dashes as -.":
    "Im curl-Befehl steht „{0}“ aus einem Textprogramm: Anführungszeichen müssen ' oder \" sein, Striche ein -.",
  "The HAR file has {0}, and none of them is the call of an API.":
    "Die HAR-Datei hat {0}, und keine davon ruft eine API auf.",
  "{0} request for pages, scripts, pictures and the like is left out.|{0} requests for pages, scripts, pictures and the like are left out.":
    "{0} Anfrage nach Seiten, Skripten, Bildern und Ähnlichem bleibt weg.|{0} Anfragen nach Seiten, Skripten, Bildern und Ähnlichem bleiben weg.",
  "Recorded requests": "Aufgezeichnete Anfragen",
  "HAR file": "HAR-Datei",
  "The Postman collection has no requests.": "Die Postman-Sammlung hat keine Anfragen.",
  "{0} script of the collection is left out: what it computes has to be given to the tools.|{0} scripts of the collection are left out: what they compute has to be given to the tools.":
    "{0} Skript der Sammlung bleibt weg: Was es berechnet, muss den Tools gegeben werden.|{0} Skripte der Sammlung bleiben weg: Was sie berechnen, muss den Tools gegeben werden.",
  "Postman collection": "Postman-Sammlung",
  "Authorization of the kind “{0}” cannot be taken over: a page cannot compute it.":
    "Eine Anmeldung der Art „{0}“ kann nicht übernommen werden: Eine Seite kann sie nicht berechnen.",
  "This is a Swagger 1.x document, a form of 2014 in which an API is spread over several files. OpenAPI 3 and Swagger 2.0 can be read: look for /swagger.json, /v2/api-docs or /openapi.json of the same API, or convert it with the tool swagger-converter.":
    "Das ist ein Dokument in Swagger 1.x, einer Form von 2014, in der eine API auf mehrere Dateien verteilt ist. Lesbar sind OpenAPI 3 und Swagger 2.0: bei derselben API nach /swagger.json, /v2/api-docs oder /openapi.json suchen oder das Dokument mit dem Programm swagger-converter umwandeln.",
  "This is a Postman environment or an export of another kind. Export the collection itself (v2.1).":
    "Das ist eine Umgebung von Postman oder ein anderer Export. Die Sammlung selbst exportieren (v2.1).",
  "This is a command for PowerShell. Copy the request as cURL, for bash or cmd.":
    "Das ist ein Befehl für PowerShell. Die Anfrage als cURL kopieren, für bash oder cmd.",
  "This is a call of fetch in JavaScript. Copy the request as cURL instead.":
    "Das ist ein Aufruf von fetch in JavaScript. Die Anfrage stattdessen als cURL kopieren.",
  "This is a command of another program than curl. Write it as a curl command.":
    "Das ist ein Befehl eines anderen Programms als curl. Als curl-Befehl schreiben.",
  "This is a file of HTTP requests (.http or .rest). Copy its requests as cURL.":
    "Das ist eine Datei mit HTTP-Anfragen (.http oder .rest). Ihre Anfragen als cURL kopieren.",
  "This is an export of Insomnia. Export it as HAR, or copy its requests as cURL.":
    "Das ist ein Export von Insomnia. Als HAR exportieren oder die Anfragen als cURL kopieren.",
  "This is a collection of Bruno. Export it as a Postman collection, or copy its requests as cURL.":
    "Das ist eine Sammlung von Bruno. Als Postman-Sammlung exportieren oder die Anfragen als cURL kopieren.",
  "This is a collection of another program. Export it as a Postman collection, as HAR or as OpenAPI, or copy its requests as cURL.":
    "Das ist eine Sammlung eines anderen Programms. Als Postman-Sammlung, als HAR oder als OpenAPI exportieren oder die Anfragen als cURL kopieren.",
  "curl command": "curl-Befehl",
  "list of curl commands": "Liste von curl-Befehlen",
  "Made in your browser from this: {0}, with {1}.": "Im eigenen Browser hieraus gemacht: {0}, mit {1}.",
  "The values of {0} are left out: give them under Credentials of the server, where they stay in your browser.":
    "Die Werte von {0} bleiben weg: beim Server unter Zugangsdaten eingeben, wo sie im eigenen Browser bleiben.",
  "Cookies are left out: a page cannot send them. The companion extension sends those of your own login.":
    "Cookies bleiben weg: Eine Seite kann sie nicht senden. Die Companion-Erweiterung sendet die der eigenen Anmeldung.",
  "The address of the API is a variable: enter it as the base address of the server.":
    "Die Adresse der API ist eine Variable: als Basisadresse des Servers eingeben.",
  "Only http and https requests can be taken over, not {0}.":
    "Nur Anfragen über http und https können übernommen werden, nicht {0}.",

  // The frame
  "Skip to the content": "Zum Inhalt springen",
  Sections: "Bereiche",
  "Connecting…": "Verbindung wird aufgebaut …",
  "Opening the bridge…": "Bridge wird geöffnet …",
  "Loading…": "Wird geladen …",

  // Buttons and notes of every section
  Add: "Hinzufügen",
  Copied: "Kopiert",
  "Not copied": "Nicht kopiert",
  Copy: "Kopieren",
  "Copy: {0}": "Kopieren: {0}",
  "Press Ctrl+C": "Strg+C drücken",
  "The text is selected. Press Ctrl+C to copy it.": "Der Text ist markiert. Mit Strg+C kopieren.",
  Dismiss: "Ausblenden",
  "Only reads": "Liest nur",
  "Can change data": "Kann Daten ändern",
  "Remove {0}": "{0} entfernen",
  "not available now": "gerade nicht verfügbar",
  Save: "Speichern",
  Saved: "Gespeichert",

  // What waits where the page opens
  "Waiting for you": "Zu erledigen",
  "No browser of yours is connected: calls fail.": "Kein eigener Browser ist verbunden: Aufrufe scheitern.",
  "{0} tool or host is paused after failures|{0} tools or hosts are paused after failures":
    "{0} Tool oder Host pausiert nach Fehlern|{0} Tools oder Hosts pausieren nach Fehlern",
  "{0} operation has changed and is paused|{0} operations have changed and are paused":
    "{0} Operation hat sich geändert und pausiert|{0} Operationen haben sich geändert und pausieren",
  "{0} server waits for your decision|{0} servers wait for your decision":
    "{0} Server wartet auf eine Entscheidung|{0} Server warten auf eine Entscheidung",
  "{0} server is accepted on another browser only|{0} servers are accepted on another browser only":
    "{0} Server ist nur in einem anderen Browser akzeptiert|{0} Server sind nur in einem anderen Browser akzeptiert",

  // What has paused after failures
  "Last error: {0}": "Letzter Fehler: {0}",
  "have been refused since {1}: one failed.|have been refused since {1}: {0} failed.":
    "werden seit {1} abgelehnt: Eine ist fehlgeschlagen.|werden seit {1} abgelehnt: {0} sind fehlgeschlagen.",
  "Programs that ask get breaker_open. Single tools still run.":
    "Programme, die fragen, bekommen breaker_open. Einzelne Tools laufen weiter.",
  "has been paused since {1}: it failed.|has been paused since {1}: it failed {0} times.":
    "pausiert seit {1}, nach einem Fehler.|pausiert seit {1}, nach {0} Fehlern.",
  "Answers continue without memory.": "Antworten gehen ohne Gedächtnis weiter.",
  "Its calls are refused with breaker_open.": "Aufrufe werden mit breaker_open abgelehnt.",
  "The first call after {0} tries whether it works again.": "Der erste Aufruf nach {0} probiert, ob es wieder geht.",
  "The first request after {0} tries whether the model answers again.":
    "Die erste Anfrage nach {0} probiert, ob das Modell wieder antwortet.",
  "The first answer after {0} tries whether it works again.": "Die erste Antwort nach {0} probiert, ob es wieder geht.",
  "The next call tries whether it works again.": "Der nächste Aufruf probiert, ob es wieder geht.",
  "The next request tries whether the model answers again.":
    "Die nächste Anfrage probiert, ob das Modell wieder antwortet.",
  "The next answer tries whether it works again.": "Die nächste Antwort probiert, ob es wieder geht.",
  "Storage of your answers": "Das Speichern der Antworten",
  "All of {0}": "Alles unter {0}",
  "To be tried again: {0}": "Wird wieder versucht: {0}",
  "Try again now": "Jetzt wieder versuchen",
  "Try again now: {0}": "Jetzt wieder versuchen: {0}",
};

/** @type {import("../base/texts.js").Catalog} */
export const GERMAN = {
  texts: {
    ...TEXTS,
    ...GERMAN_ANSWERS,
    ...GERMAN_BACKUP,
    ...GERMAN_CALLS,
    ...GERMAN_CHAT,
    ...GERMAN_CONNECT,
    ...GERMAN_DEVICES,
    ...GERMAN_DOCUMENTS,
    ...GERMAN_EDITS,
    ...GERMAN_ENVIRONMENTS,
    ...GERMAN_LOGINS,
    ...GERMAN_MODELS,
    ...GERMAN_REVIEW,
    ...GERMAN_SAVED,
    ...GERMAN_SEARCH,
    ...GERMAN_SERVERS,
    ...GERMAN_SETTINGS,
    ...GERMAN_TOOLS,
    ...GERMAN_TRYING,
  },
  errors: GERMAN_ERRORS,
  sentences: GERMAN_SENTENCES,
};
