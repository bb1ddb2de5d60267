// @ts-check
/** German of answers, in all the forms in which they are shown, of what to do about a failure, and of the report about a document. */

/** @type {Record<string, string>} */
export const GERMAN_ANSWERS = {
  // The forms of an answer
  "Show the answer as": "Antwort anzeigen als",
  Table: "Tabelle",
  Tree: "Baum",
  Picture: "Bild",
  Text: "Text",
  "The image the API answered with": "Das Bild, mit dem die API geantwortet hat",
  "The audio the API answered with": "Der Ton, mit dem die API geantwortet hat",
  "The video the API answered with": "Das Video, mit dem die API geantwortet hat",
  "The page the API answered with": "Die Seite, mit der die API geantwortet hat",
  "Without its scripts, styles, and anything it would load from elsewhere.":
    "Ohne ihre Skripte, ihre Gestaltung und alles, was sie von anderswo laden würde.",
  "The answer as a tree": "Die Antwort als Baum",
  "Copy value": "Wert kopieren",
  "Copy path": "Pfad kopieren",
  "{0} more; show the next {1}": "{0} weitere; die nächsten {1} anzeigen",
  "The answer as a table": "Die Antwort als Tabelle",
  "Table of the answer": "Tabelle der Antwort",
  "Show {0} of {1} more": "{0} von {1} weiteren anzeigen",
  "{0} row|{0} rows": "{0} Zeile|{0} Zeilen",
  "{0} row of {1}|{0} rows of {1}": "{0} Zeile aus {1}|{0} Zeilen aus {1}",
  "Body of the answer": "Body der Antwort",
  "The first {0} of {1} characters are shown; Copy copies them all.":
    "Zu sehen sind die ersten {0} von {1} Zeichen; „Kopieren“ nimmt alle.",
  "The API sent more than this page reads, so the end is missing.":
    "Die API hat mehr gesendet, als diese Seite liest; das Ende fehlt.",
  "The API was still sending when the time for the call ran out.":
    "Die API war noch am Senden, als die Zeit für den Aufruf abgelaufen war.",
  "The query selected nothing. {0}": "Die Abfrage hat nichts ausgewählt. {0}",
  "This is what the query selected. The download has the whole answer.":
    "Das hat die Abfrage ausgewählt. Der Download enthält die ganze Antwort.",
  "Truncated: the caller gets the first {0}.": "Gekürzt: Der Aufrufer bekommt die ersten {0}.",
  "Truncated: the caller gets the first {0} of {1}.": "Gekürzt: Der Aufrufer bekommt die ersten {0} von {1}.",
  "{0}. The bridge had no room to store it.": "{0}. Die Bridge hatte keinen Platz zum Speichern.",
  "Download the file": "Datei herunterladen",
  "Download the answer": "Antwort herunterladen",

  // How a call ended
  "awaiting approval": "wartet auf Freigabe",
  "The answer is empty.": "Die Antwort ist leer.",
  "Show in Calls": "In den Aufrufen anzeigen",
  "by the companion": "durch den Companion",
  "by the companion, with your login": "durch den Companion, mit der eigenen Anmeldung",
  "Response headers ({0})": "Header der Antwort ({0})",
  "A page sees only the headers that the API shows to pages (CORS); the companion extension sees all but Set-Cookie.":
    "Eine Seite sieht nur die Header, die die API Seiten zeigt (CORS); die Companion-Erweiterung sieht alle außer Set-Cookie.",
  "What the API said": "Was die API dazu sagt",

  // What to do about it
  "No page of yours is connected. This page reconnects by itself; if the tab shows standby, use the other tab.":
    "Keine eigene Seite ist verbunden. Diese Seite verbindet sich von selbst wieder; zeigt der Tab Bereitschaft, den anderen Tab benutzen.",
  "Accept the operation first.": "Die Operation zuerst akzeptieren.",
  "The document has changed. Review the operation again.":
    "Das Dokument hat sich geändert. Die Operation noch einmal prüfen.",
  "The tool no longer exists. Reload the list of tools.": "Das Tool gibt es nicht mehr. Liste der Tools neu laden.",
  "Correct the argument and run it again.": "Das Argument berichtigen und noch einmal ausführen.",
  "The API took too long. Check that it is healthy, then try again.":
    "Die API hat zu lange gebraucht. Prüfen, ob sie gesund ist, dann noch einmal versuchen.",
  "The API must allow this page to read its answers.": "Die API muss dieser Seite erlauben, ihre Antworten zu lesen.",
  "Look at the API's log: this page could read other answers of the API, so this one was most likely an error without CORS headers.":
    "Im Log der API nachsehen: Andere Antworten der API konnte diese Seite lesen, vermutlich war diese also ein Fehler ohne CORS-Header.",
  "This page could read other answers of the API, but none yet to a request with this method and these headers: most likely its CORS settings leave them out.":
    "Andere Antworten der API konnte diese Seite lesen, aber noch keine auf eine Anfrage mit dieser Methode und diesen Headern: Vermutlich fehlen sie in ihren CORS-Einstellungen.",
  "The API redirects this request to an answer that the page may not read: a login page, perhaps, or an error.":
    "Die API leitet diese Anfrage zu einer Antwort um, die diese Seite nicht lesen darf: vielleicht eine Anmeldeseite oder ein Fehler.",
  "The API most likely redirects this request in a circle. Open its address in a tab to see.":
    "Vermutlich leitet die API diese Anfrage im Kreis um. Ihre Adresse in einem Tab öffnen, um es zu sehen.",
  "Most likely the path in the document lacks a slash at its end, or has one too much.":
    "Vermutlich fehlt dem Pfad im Dokument am Ende ein Schrägstrich, oder er hat einen zu viel.",
  "The document demands a credential that this request did not carry ({0}): that may be the cause.":
    "Das Dokument verlangt Zugangsdaten, die diese Anfrage nicht hatte ({0}): Das kann die Ursache sein.",
  "The browser blocks plain http from an https page.": "Der Browser blockiert einfaches http aus einer https-Seite.",
  "Allow access to the local network for this page.": "Dieser Seite den Zugriff auf das lokale Netzwerk erlauben.",
  "Check that the API is running and the address is right.": "Prüfen, ob die API läuft und die Adresse stimmt.",
  "The request may have had its effect. Look at the API before you run it again.":
    "Die Anfrage kann gewirkt haben. Vor dem Wiederholen bei der API nachsehen.",
  "Ask for less: many APIs take a limit or a page.":
    "Weniger anfragen: Viele APIs nehmen eine Höchstzahl oder eine Seite an.",
  "Too many calls are waiting. Try again in a moment.": "Zu viele Aufrufe warten. Gleich noch einmal versuchen.",
  "The tool failed several times in a row and is paused for a while. Try again later.":
    "Das Tool ist mehrmals nacheinander fehlgeschlagen und pausiert eine Weile. Später noch einmal versuchen.",
  "It was not approved in this page, so nothing was sent.":
    "Auf dieser Seite wurde es nicht freigegeben, darum wurde nichts gesendet.",
  "The call was stopped.": "Der Aufruf wurde angehalten.",
  "The API requires a login.": "Die API verlangt eine Anmeldung.",
  "The API requires credentials.": "Die API verlangt Zugangsdaten.",
  "Add a credential": "Zugangsdaten hinzufügen",
  "The credentials are not enough for this operation.": "Die Zugangsdaten reichen für diese Operation nicht aus.",
  "Review the credentials": "Zugangsdaten prüfen",
  "The API has nothing at this address. Check the arguments and the base address.":
    "Unter dieser Adresse hat die API nichts. Argumente und Basisadresse prüfen.",
  "The API limits the number of requests. Wait a little.": "Die API begrenzt die Zahl der Anfragen. Kurz warten.",
  "Or the companion extension sends the requests of this server, once you grant it: no page's limits hold for it.":
    "Oder die Companion-Erweiterung sendet die Anfragen dieses Servers, sobald es ihr erlaubt ist: Für sie gelten die Grenzen von Seiten nicht.",
  "Call it through the companion": "Über den Companion aufrufen",
  "It answers with a page to sign in: it may know you by a cookie, which only the companion extension can send.":
    "Die Antwort ist eine Anmeldeseite: Vielleicht erkennt die API am Cookie, wer fragt, und das kann nur die Companion-Erweiterung senden.",
  "Use my login": "Eigene Anmeldung benutzen",
  "Your login went along and was not enough: you may not be signed in there.":
    "Die eigene Anmeldung ging mit und reichte nicht: Vielleicht besteht dort gerade keine.",
  "See the login": "Anmeldung ansehen",
  "How this server is called": "Wie dieser Server aufgerufen wird",

  // The report about a document
  Report: "Bericht",
  "Search the report": "Bericht durchsuchen",
  "Copy as JSON": "Als JSON kopieren",
  "Copy as JSON: the report": "Bericht als JSON kopieren",
  "{0} entry more; search to see them.|{0} entries more; search to see them.":
    "{0} weiterer Eintrag; die Suche zeigt ihn.|{0} weitere Einträge; die Suche zeigt sie.",
  "checking…": "wird geprüft …",
  valid: "gültig",
  "flaws found": "Mängel gefunden",
  "not checked": "nicht geprüft",
  "{0}, {1} with warnings": "{0}, {1} mit Warnungen",
  "nothing left out": "nichts ausgelassen",
  "{0} operation left out|{0} operations left out": "{0} Operation ausgelassen|{0} Operationen ausgelassen",
  "These did not become tools.": "Aus diesen wurden keine Tools.",
  "{0} tool with parts that a browser cannot send|{0} tools with parts that a browser cannot send":
    "{0} Tool mit Teilen, die ein Browser nicht senden kann|{0} Tools mit Teilen, die ein Browser nicht senden kann",
  "Requests are sent without these parts.": "Anfragen gehen ohne diese Teile hinaus.",
  "{0} tool with warnings|{0} tools with warnings": "{0} Tool mit Warnungen|{0} Tools mit Warnungen",
  "They work, but not everything is as the document says.":
    "Sie funktionieren, aber nicht alles ist so, wie das Dokument es sagt.",
  "{0} remark about the document|{0} remarks about the document": "{0} Hinweis zum Dokument|{0} Hinweise zum Dokument",
  "{0} flaw found by {1}|{0} flaws found by {1}": "{0} Mangel laut {1}|{0} Mängel laut {1}",
  "Most are harmless: many real documents have some.":
    "Die meisten sind harmlos: Viele Dokumente aus der Praxis haben welche.",
  " (required)": " (Pflicht)",
  "{0} accepted, {1} not:": "{0} akzeptiert, {1} nicht:",
  "and {0} more.": "und {0} weitere.",

  // Markdown
  "{0} code": "{0}-Code",
  "Copy code": "Code kopieren",
  "Copy code: {0}": "Code kopieren: {0}",

  // What an argument takes
  "any JSON": "beliebiges JSON",
  "list of {0}": "Liste: {0}",
  values: "beliebige Werte",
  "{0} characters": "{0} Zeichen",
  "{0} items": "{0} Einträge",
  "one of several forms": "eine von mehreren Formen",
  choice: "Auswahl",
  file: "Datei",
  list: "Liste",
  "may be null": "darf null sein",
};
