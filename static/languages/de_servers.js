// @ts-check
/** German of servers, how they are added and called, and the doctor. */

/** @type {Record<string, string>} */
export const GERMAN_SERVERS = {
  // The list
  "Add your first API": "Die erste API hinzufügen",
  "Each of its operations becomes a tool that this browser performs for your models. You choose which.":
    "Jede ihrer Operationen wird zu einem Tool, das dieser Browser für die Modelle ausführt. Welche, lässt sich auswählen.",
  "Paste an address, a curl command or a document, or drop files here":
    "Adresse, curl-Befehl oder Dokument einfügen, oder Dateien hier ablegen",
  "More about {0}": "Mehr zu {0}",
  "last call {0}": "letzter Aufruf {0}",
  "offered to every user": "allen Benutzern angeboten",
  "shared by {0}": "geteilt von {0}",
  "no base address yet": "noch keine Basisadresse",
  "{0} of {1} accepted": "{0} von {1} akzeptiert",
  "{0} changed, paused until you accept again": "{0} geändert, pausiert bis zum erneuten Akzeptieren",
  "{0} left out": "{0} ausgelassen",
  "document has flaws": "Dokument hat Mängel",
  "Details of {0}": "Details zu {0}",
  "See what changed": "Änderungen ansehen",
  "See what changed ({0})": "Änderungen ansehen ({0})",
  Review: "Durchsehen",
  "Review and accept": "Durchsehen und akzeptieren",
  "Accept on this browser": "In diesem Browser akzeptieren",
  "You accepted these operations on another device. Until you do it here, this browser does not perform them.":
    "Diese Operationen sind auf einem anderen Gerät akzeptiert. Bis das auch hier geschieht, führt dieser Browser sie nicht aus.",
  "{0} of {1} accepted on this browser": "{0} von {1} in diesem Browser akzeptiert",
  "{0} of {1} accepted on this browser; {2} could not be accepted: review the document to see why":
    "{0} von {1} in diesem Browser akzeptiert; {2} ließen sich nicht akzeptieren: Beim Prüfen des Dokuments steht, warum",
  "{0} could not be accepted: {1}": "{0} ließ sich nicht akzeptieren: {1}",
  "{0} accepted, because you named these documents when you started the bridge:":
    "{0} akzeptiert, weil diese Dokumente beim Start der Bridge genannt wurden:",

  // One server
  "You accepted {0} on another device. This browser performs them once you accept them here too.":
    "{0} auf einem anderen Gerät akzeptiert. Dieser Browser führt sie aus, sobald sie auch hier akzeptiert sind.",
  "Refetch the tools": "Tools neu abrufen",
  "Refetch the document": "Dokument neu abrufen",
  Refetched: "Neu abgerufen",
  "The tools have changed.": "Die Tools haben sich geändert.",
  "The tools have not changed.": "Die Tools haben sich nicht geändert.",
  "The document has changed.": "Das Dokument hat sich geändert.",
  "The document has not changed.": "Das Dokument hat sich nicht geändert.",
  "Tools of this server": "Tools dieses Servers",
  changed: "geändert",
  "not accepted": "nicht akzeptiert",
  Endpoint: "Endpunkt",
  Document: "Dokument",
  "given as text": "als Text eingegeben",
  Source: "Quelle",
  Version: "Version",
  Origins: "Herkünfte (Origins)",
  "Base address": "Basisadresse",
  "The base address is saved": "Die Basisadresse ist gespeichert",
  "Save the address": "Adresse speichern",
  "Requests go to this address, except those of operations for which the document names a server of their own. What you have accepted stays accepted there.":
    "Anfragen gehen an diese Adresse, außer bei Operationen, für die das Dokument einen eigenen Server nennt. Was akzeptiert ist, bleibt es auch dort.",
  "A shared server": "Ein geteilter Server",
  "It is named on the command line and offered to every user. To remove it, start the bridge without it.":
    "Er steht auf der Kommandozeile und wird allen Benutzern angeboten. Um ihn zu entfernen, die Bridge ohne ihn starten.",
  "Whoever started the bridge offers it to every user. You decide which of its operations your browser performs.":
    "Wer die Bridge gestartet hat, bietet ihn allen Benutzern an. Welche seiner Operationen der eigene Browser ausführt, entscheidet jeder selbst.",
  Sharing: "Teilen",
  "Another user": "Ein anderer Benutzer",
  "{0} offers it to every user. You decide which of its operations your browser performs.":
    "{0} bietet ihn allen Benutzern an. Welche seiner Operationen der eigene Browser ausführt, entscheidet jeder selbst.",
  "You offer it to every user. What you change, each of them has to accept again.":
    "Er wird allen Benutzern angeboten. Was sich daran ändert, müssen sie neu akzeptieren.",
  "Offer it to every user of this bridge.": "Allen Benutzern dieser Bridge anbieten.",
  "Each reviews it and enters credentials of their own; yours stay here.":
    "Jeder prüft ihn und gibt eigene Zugangsdaten ein; die hier gespeicherten bleiben hier.",
  Requests: "Anfragen",
  "Send the trace of the call with every request.":
    "Mit jeder Anfrage die Ablaufverfolgung (Trace) des Aufrufs mitsenden.",
  "Where the bridge traces calls, the server's own traces then go on from the bridge's.":
    "Wo die Bridge Aufrufe verfolgt, schließen die Traces des Servers dann an ihre an.",
  "Where the bridge traces calls, the API's own traces then go on from the bridge's; its CORS rules must allow the header traceparent.":
    "Wo die Bridge Aufrufe verfolgt, schließen die Traces der API dann an ihre an; ihre CORS-Regeln müssen den Header traceparent erlauben.",
  "Send an Idempotency-Key with every request that changes something.":
    "Mit jeder Anfrage, die etwas ändert, einen Idempotency-Key senden.",
  "An API that knows it performs a request once even if the browser sends it twice; its CORS rules must allow the header.":
    "Eine API, die ihn kennt, führt eine Anfrage auch dann nur einmal aus, wenn der Browser sie zweimal sendet; ihre CORS-Regeln müssen den Header zulassen.",
  "Let Open WebUI show HTML answers as pages.": "Open WebUI HTML-Antworten als Seiten zeigen lassen.",
  "Only for APIs you trust: such a page runs inside the chat. The API must expose the headers that ask for it: Access-Control-Expose-Headers: Content-Disposition, Location.":
    "Nur für vertrauenswürdige APIs: So eine Seite läuft im Chat. Die API muss die Header freigeben, die danach verlangen: Access-Control-Expose-Headers: Content-Disposition, Location.",
  "Remove this server": "Server entfernen",
  "Remove for good": "Endgültig entfernen",
  "Its tools disappear, and its credentials leave this browser. Logins end at their server, too.":
    "Seine Tools verschwinden, und seine Zugangsdaten werden aus diesem Browser gelöscht. Anmeldungen enden auch an ihrem Server.",

  // Adding one
  "Bring what you have: an OpenAPI or Swagger 2.0 document, the address of its documentation or of the API, an MCP server, a Postman collection, a HAR file or curl commands. You review every operation before you accept anything.":
    "Was vorhanden ist, genügt: ein Dokument in OpenAPI oder Swagger 2.0, die Adresse seiner Dokumentation oder der API, ein MCP-Server, eine Postman-Sammlung, eine HAR-Datei oder curl-Befehle. Jede Operation lässt sich prüfen, bevor etwas akzeptiert wird.",
  "By address": "Per Adresse",
  "Address of the document, its documentation, the API or an MCP server":
    "Adresse des Dokuments, seiner Dokumentation, der API oder eines MCP-Servers",
  "This browser fetches it, so addresses on this computer, in your network or behind your VPN work.":
    "Dieser Browser ruft sie ab, darum gehen auch Adressen auf diesem Rechner, im eigenen Netz oder hinter dem VPN.",
  Fetch: "Abrufen",
  "Fetching {0}. If the browser asks for permission, allow it.":
    "{0} wird abgerufen. Fragt der Browser um Erlaubnis, zulassen.",
  "Reading the document…": "Dokument wird gelesen …",
  "Looking for a document from {0}…": "Von {0} aus wird ein Dokument gesucht …",
  "From a file": "Aus einer Datei",
  "OpenAPI document": "OpenAPI-Dokument",
  "Or a Postman collection, a HAR file, curl commands. Several together for a split document; or drop them here.":
    "Oder eine Postman-Sammlung, eine HAR-Datei, curl-Befehle. Bei einem geteilten Dokument mehrere zusammen; oder hier ablegen.",
  "Or its folder": "Oder sein Ordner",
  "Read in this browser, then sent to your bridge.":
    "Wird in diesem Browser gelesen und dann an die eigene Bridge gesendet.",
  "Pasted text": "Eingefügter Text",
  "Text of the document": "Text des Dokuments",
  "openapi: 3.1.0\ninfo: …\n\nor: curl https://api.example/pets":
    "openapi: 3.1.0\ninfo: …\n\noder: curl https://api.example/pets",
  "Or a Postman collection, a HAR file, curl commands: it is recognised.":
    "Oder eine Postman-Sammlung, eine HAR-Datei, curl-Befehle: Die Art wird erkannt.",
  "Only if the document does not name one.": "Nur wenn das Dokument keine nennt.",
  "Add the text": "Text hinzufügen",
  "{0} added with {1}": "{0} mit {1} hinzugefügt",
  "None of these files begins with `openapi` or `swagger`.":
    "Keine dieser Dateien beginnt mit `openapi` oder `swagger`.",
  "These are more than {0} files. Choose fewer.": "Das sind mehr als {0} Dateien. Weniger auswählen.",
  "The files are larger than 32 MiB together.": "Die Dateien sind zusammen größer als 32 MiB.",
  "The file is larger than 32 MiB.": "Die Datei ist größer als 32 MiB.",
  "{0} is not UTF-8; it may be Latin-1 or Windows-1252. Save it as UTF-8.":
    "{0} ist nicht in UTF-8, vielleicht in Latin-1 oder Windows-1252. Als UTF-8 speichern.",

  // When that fails
  "Check the address, and that the server runs, then fetch again.":
    "Die Adresse prüfen und ob der Server läuft, dann noch einmal abrufen.",
  "The server may be busy. Fetch again, or look whether it runs.":
    "Der Server ist vielleicht ausgelastet. Noch einmal abrufen oder nachsehen, ob er läuft.",
  "Perhaps nothing is at this path: many servers leave the permission (CORS) out of their error answers. If the document is there, save it and add it as a file; its calls still need the permission.":
    "Vielleicht gibt es unter diesem Pfad nichts: Viele Server lassen in Fehlerantworten die Erlaubnis (CORS) weg. Gibt es das Dokument, dann speichern und als Datei hinzufügen; seine Aufrufe brauchen die Erlaubnis trotzdem.",
  "Let the bridge fetch it": "Von der Bridge abrufen lassen",
  "Open the doctor": "Diagnose öffnen",
  "Fetch it through the companion": "Über den Companion abrufen",
  "The limits of a page do not stop it. It asks you whether it may read at {0}, and sends no cookies and no credentials. Calls to that origin then take the same way; you can change that under How it is called.":
    "Die Grenzen einer Seite halten ihn nicht auf. Er fragt, ob er bei {0} lesen darf, und sendet weder Cookies noch Zugangsdaten. Aufrufe dorthin nehmen danach denselben Weg; ändern lässt sich das unter „Wie aufgerufen wird“.",
  "The document is public, so the bridge can fetch it instead, together with the files it refers to at the same origin; files elsewhere are left out and listed in the report. The calls themselves still need the API's permission (CORS) for your browser.":
    "Das Dokument ist öffentlich, darum kann die Bridge es stattdessen abrufen, samt den Dateien derselben Herkunft, auf die es verweist; Dateien von anderswo bleiben weg und stehen im Bericht. Die Aufrufe selbst brauchen weiter die Erlaubnis der API (CORS) für den eigenen Browser.",
  "You can also save the document and add it as a file.":
    "Das Dokument lässt sich auch speichern und als Datei hinzufügen.",
  "The browser would ask for a permission.": "Der Browser würde um Erlaubnis fragen.",
  "What to put into the server": "Was in den Server gehört",
  "Put these lines into the server, start it again, and fetch again. With the Python SDK or FastMCP:":
    "Diese Zeilen in den Server einfügen, ihn neu starten und noch einmal abrufen. Mit dem Python-SDK oder FastMCP:",
  "Lines for a Python server": "Zeilen für einen Python-Server",
  "With the TypeScript SDK and Express:": "Mit dem TypeScript-SDK und Express:",
  "Lines for a TypeScript server": "Zeilen für einen TypeScript-Server",

  // What was brought
  "{1}: {0} request becomes {2}|{1}: {0} requests become {2}":
    "{1}: {0} Anfrage, daraus {2}|{1}: {0} Anfragen, daraus {2}",
  "The document is made in this browser. You review it as any other before anything is accepted.":
    "Das Dokument entsteht in diesem Browser. Es wird wie jedes andere geprüft, bevor etwas akzeptiert wird.",
  "Show the document": "Dokument zeigen",
  "The document": "Das Dokument",
  "Add it": "Hinzufügen",
  "A document of this API was found|{0} documents were found":
    "Ein Dokument dieser API wurde gefunden|{0} Dokumente wurden gefunden",
  "{0} is no document itself.": "{0} ist selbst kein Dokument.",
  "Which one do you mean?": "Welches ist gemeint?",

  // Documents that it refers to
  "Documents it refers to": "Dokumente, auf die es verweist",
  "This document refers to another document.|This document refers to {0} other documents.":
    "Dieses Dokument verweist auf ein weiteres.|Dieses Dokument verweist auf {0} weitere.",
  "{1} cannot be used.|{0} documents cannot be used.": "{1} ist nicht verwendbar.|{0} Dokumente sind nicht verwendbar.",
  "This document refers to more than {0} others, too many to fetch one by one. Download them, and add the folder as files.":
    "Dieses Dokument verweist auf mehr als {0} weitere, zu viele, um sie einzeln abzurufen. Herunterladen und den Ordner als Dateien hinzufügen.",
  "The document and those it refers to are larger than 32 MiB together.":
    "Das Dokument und die, auf die es verweist, sind zusammen größer als 32 MiB.",
  "This browser fetches them over its own network.": "Dieser Browser ruft sie über sein eigenes Netz ab.",
  "Operations that depend on what you leave out are left out too; the others work.":
    "Operationen, die Weggelassenes brauchen, bleiben auch weg; die übrigen gehen.",
  "Load {0} from {1}": "{0} von {1} laden",
  "Load {0} from {1}, where the document itself is": "{0} von {1} laden, woher auch das Dokument selbst stammt",
  "Not among the files:": "Nicht unter den Dateien:",
  "Add the files": "Dateien hinzufügen",
  "Choose them all together; files you do not choose are left out.":
    "Alle zusammen auswählen; nicht gewählte Dateien bleiben weg.",
  Continue: "Weiter",
  "Continue without": "Ohne sie weiter",
  "Which document": "Welches Dokument",
  "{0} of the files are documents. Which one do you mean?": "{0} der Dateien sind Dokumente. Welches ist gemeint?",
  "The document of {0} refers to others at {1}. It stays as it was until you decide: {2}.":
    "Das Dokument von {0} verweist auf weitere bei {1}. Es bleibt, wie es war, bis entschieden ist: {2}.",
  "refetch the document": "Dokument neu abrufen",

  // Who calls it
  "How it is called": "Wie aufgerufen wird",
  "Give the server a base address first.": "Dem Server zuerst eine Basisadresse geben.",
  "Requests of your login: discovery and tokens, never with cookies.":
    "Anfragen der eigenen Anmeldung: Discovery und Tokens, nie mit Cookies.",
  'This API knows its users by a cookie, "{0}", which no page can send. The companion sends it with your login.':
    "Diese API erkennt ihre Benutzer an einem Cookie, „{0}“, das keine Seite senden kann. Der Companion sendet es mit der eigenen Anmeldung.",
  "The document is fetched from here, never with cookies.": "Von hier kommt das Dokument, immer ohne Cookies.",
  "This page itself": "Diese Seite selbst",
  "The API must allow it (CORS). No cookies go along.": "Die API muss es erlauben (CORS). Cookies gehen nicht mit.",
  "The companion extension": "Die Companion-Erweiterung",
  "Also reaches APIs that do not allow CORS, on your network and over plain http, and sees all headers of answers. It sends only what you grant in its own window. If it is not there, calls fail: this page does not take over.":
    "Erreicht auch APIs ohne CORS, im eigenen Netz und über einfaches http, und sieht alle Header der Antworten. Sie sendet nur, was in ihrem eigenen Fenster erlaubt ist. Fehlt sie, scheitern Aufrufe: Diese Seite springt nicht ein.",
  "With my login.": "Mit meiner Anmeldung.",
  "The cookies that this browser has for {0} go along: what is called is done as you. Each call that can change something then asks you, whatever you allowed.":
    "Die Cookies dieses Browsers für {0} gehen mit: Aufrufe geschehen im eigenen Namen. Jeder Aufruf, der etwas ändern kann, fragt dann vorher, gleich, was erlaubt ist.",
  "{0} in a tab of this browser, if you are not.": "{0}, in einem Tab dieses Browsers, falls noch nicht geschehen.",
  "Not beside your login, which has cookies of its own.":
    "Nicht neben der eigenen Anmeldung, die ihre eigenen Cookies hat.",
  "The same with every call; empty: not sent. Only the companion can send it.":
    "Bei jedem Aufruf derselbe Wert; leer: wird nicht gesendet. Senden kann das nur der Companion.",
  "Header {0}": "Header {0}",
  "Cookie {0}": "Cookie {0}",
  "Looking for the companion…": "Companion wird gesucht …",
  "Look again": "Noch einmal suchen",
  "Companion {0}. Take grants back in its own window, from the browser's toolbar.":
    "Companion {0}. Erlaubnisse lassen sich in seinem eigenen Fenster zurücknehmen, über die Symbolleiste des Browsers.",
  "Ask for reading": "Lesen anfragen",
  "Ask for reading, as me": "Lesen in meinem Namen anfragen",
  "Ask for reading and changing": "Lesen und Ändern anfragen",
  "Ask for reading and changing, as me": "Lesen und Ändern in meinem Namen anfragen",
  "Granted.": "Erlaubt.",
  "Not granted.": "Nicht erlaubt.",
  "Decide in the window of the companion extension.": "Im Fenster der Companion-Erweiterung entscheiden.",
  "The companion extension does not answer: it is not installed, or this bridge is not connected in it.":
    "Die Companion-Erweiterung antwortet nicht: Sie ist nicht installiert oder nicht mit dieser Bridge verbunden.",
  "The companion extension does not answer: it is not installed, or this bridge is not connected in it. Until then, calls of this server fail.":
    "Die Companion-Erweiterung antwortet nicht: Sie ist nicht installiert oder nicht mit dieser Bridge verbunden. Bis dahin scheitern Aufrufe dieses Servers.",
  "Download the companion": "Companion herunterladen",
  "{0} and unpack it into a folder that stays.": "{0} und in einen Ordner entpacken, der bleibt.",
  "Version {0}; its SHA-256: {1}": "Version {0}; SHA-256: {1}",
  "Open chrome://extensions, turn on Developer mode, which must stay on, press Load unpacked and choose the folder.":
    "chrome://extensions öffnen, den Entwicklermodus einschalten, der an bleiben muss, „Entpackte Erweiterung laden“ drücken und den Ordner wählen.",
  "Open about:debugging#/runtime/this-firefox, press Load Temporary Add-on and choose manifest.json in the folder. Firefox forgets it when it is closed, because the archive is not signed by Mozilla.":
    "about:debugging#/runtime/this-firefox öffnen, „Temporäres Add-on laden“ drücken und manifest.json im Ordner wählen. Firefox vergisst sie beim Schließen, weil das Archiv nicht von Mozilla signiert ist.",
  "Press its icon in the browser's toolbar while this page is shown, then Connect this bridge.":
    "Ihr Symbol in der Symbolleiste drücken, während diese Seite zu sehen ist, dann „Connect this bridge“.",
  "Come back here and ask for the grant.": "Hierher zurückkehren und um die Erlaubnis bitten.",
  "You have not granted {0} to this bridge yet: its calls are refused.":
    "{0} ist dieser Bridge noch nicht erlaubt: Aufrufe werden abgelehnt.",
  "Granted without your login, for reading and changing: calls with it are refused.":
    "Erlaubt ohne die eigene Anmeldung, zum Lesen und Ändern: Aufrufe mit ihr werden abgelehnt.",
  "Granted without your login, for reading only: calls with it are refused.":
    "Erlaubt ohne die eigene Anmeldung, nur zum Lesen: Aufrufe mit ihr werden abgelehnt.",
  "Granted with your login, for reading and changing.": "Erlaubt mit der eigenen Anmeldung, zum Lesen und Ändern.",
  "Granted with your login, for reading only.": "Erlaubt mit der eigenen Anmeldung, nur zum Lesen.",
  "Granted without your login, for reading and changing.": "Erlaubt ohne die eigene Anmeldung, zum Lesen und Ändern.",
  "Granted without your login, for reading only.": "Erlaubt ohne die eigene Anmeldung, nur zum Lesen.",
  "Granted for reading only: tokens cannot be asked for.":
    "Nur zum Lesen erlaubt: Tokens lassen sich so nicht anfordern.",

  // Doctor
  "Tools usually fail for one of these reasons: the API is down, it does not allow this page (CORS), the browser blocks plain http, or it needs your permission for the local network. The doctor finds out which.":
    "Tools scheitern meist aus einem dieser Gründe: Die API läuft nicht, sie erlaubt diese Seite nicht (CORS), der Browser blockiert einfaches http, oder er braucht eine Erlaubnis für das lokale Netzwerk. Die Diagnose findet heraus, welcher es ist.",
  "Address to check": "Zu prüfende Adresse",
  "Check this address": "Adresse prüfen",
  Check: "Prüfen",
  "Checks whether this page can reach the API, and says what to change if not.":
    "Prüft, ob diese Seite die API erreicht, und sagt, was sonst zu ändern ist.",
  "Checking. If the browser asks for permission, allow it.": "Wird geprüft. Fragt der Browser um Erlaubnis, zulassen.",
  "Leads to": "Führt zu",
  "this device": "diesem Gerät",
  "the local network": "dem lokalen Netzwerk",
  "the internet": "dem Internet",
  "HTTP status {0} in {1} ms": "HTTP-Status {0} nach {1} ms",
  "none that this page may read": "keine, die diese Seite lesen darf",
  "Browser permission": "Erlaubnis des Browsers",
  "not needed": "nicht nötig",
  "not given yet; the browser asks when it is needed": "noch nicht erteilt; der Browser fragt bei Bedarf",
  granted: "erteilt",
  "The API must send these headers, also in answers to OPTIONS requests. Add the names of your own key headers:":
    "Die API muss diese Header senden, auch in Antworten auf OPTIONS-Anfragen. Die Namen eigener Header für Schlüssel ergänzen:",
  "The API must send these headers, also in answers to OPTIONS requests. They name its own methods and the headers that your calls send:":
    "Die API muss diese Header senden, auch in Antworten auf OPTIONS-Anfragen. Sie nennen ihre eigenen Methoden und die Header, die Aufrufe ihr senden:",
  "What the API is made with": "Womit die API gebaut ist",
  "Lines for {0}": "Zeilen für {0}",
  "Try it through the companion": "Über den Companion versuchen",
  "The companion reaches {0}: HTTP status {1}.": "Der Companion erreicht {0}: HTTP-Status {1}.",
  "If the API cannot be changed, let the companion extension call it: choose that in the server's view, under How it is called. It sends what you grant it, without the limits of a page; nothing is called so before you choose it. The try is a GET of this address, without cookies and credentials.":
    "Lässt sich die API nicht ändern, kann die Companion-Erweiterung sie aufrufen: in der Ansicht des Servers unter „Wie aufgerufen wird“ wählen. Sie sendet, was ihr erlaubt ist, ohne die Grenzen einer Seite; vor dieser Wahl wird nichts so aufgerufen. Der Versuch ist ein GET dieser Adresse, ohne Cookies und Zugangsdaten.",
  "This browser": "Dieser Browser",
  "This page": "Diese Seite",
  "Secure context": "Sicherer Kontext",
  yes: "ja",
  "no: open it over https or on http://localhost": "nein: über https oder unter http://localhost öffnen",
  "Apps on this device": "Apps auf diesem Gerät",
  "Local network": "Lokales Netzwerk",
  allowed: "erlaubt",
  "denied: change it in the site settings of this page": "abgelehnt: in den Website-Einstellungen dieser Seite ändern",
  "not decided; asked when needed": "nicht entschieden; der Browser fragt bei Bedarf",
  "this browser does not ask": "dieser Browser fragt nicht",
};
