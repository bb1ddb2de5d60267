// @ts-check
/** German of connecting programs. Names of menus are Open WebUI's own, in English, as its page may be in any language. */

/** @type {Record<string, string>} */
export const GERMAN_CONNECT = {
  // The two questions
  "Answer two questions to get settings for your Open WebUI. Below them: the bridge for MCP clients, as a model, and as plain HTTP.":
    "Zwei Fragen beantworten, und die Einstellungen für das eigene Open WebUI stehen da. Darunter: die Bridge für MCP-Clients, als Modell und über einfaches HTTP.",
  "Where does Open WebUI run?": "Wo läuft Open WebUI?",
  "On this computer": "Auf diesem Rechner",
  "for example installed with pip": "zum Beispiel mit pip installiert",
  "In Docker on this computer": "In Docker auf diesem Rechner",
  "the container has its own network": "der Container hat sein eigenes Netzwerk",
  "On another computer": "Auf einem anderen Rechner",
  "a server, or a colleague's machine": "auf einem Server oder bei jemand anderem",
  "How do you add the bridge there?": "Wie wird die Bridge dort hinzugefügt?",
  "As an administrator": "Als Administrator",
  "Open WebUI's server calls the bridge: the usual way": "der Server von Open WebUI ruft die Bridge auf: der übliche Weg",
  "As a user": "Als Benutzer",
  "your browser calls the bridge: no need to open the bridge to the network": "der eigene Browser ruft die Bridge auf: Sie muss nicht ins Netzwerk geöffnet werden",
  "Address of Open WebUI in your browser": "Adresse von Open WebUI im Browser",
  "This computer, as seen from there": "Dieser Rechner, von dort aus gesehen",
  "Its name or IP address in the network.": "Sein Name oder seine IP-Adresse im Netzwerk.",

  // 1. The bridge
  "1. The bridge": "1. Die Bridge",
  "Nothing to restart.": "Nichts neu zu starten.",
  "Stop the bridge and start it again with these options:": "Die Bridge beenden und mit diesen Optionen wieder starten:",
  "Command that starts the bridge": "Befehl, der die Bridge startet",
  "Add any other options you use, which this page does not know:": "Eigene weitere Optionen ergänzen, von denen diese Seite nichts weiß:",
  "Did you start it with `make run`? Then it is:": "Mit `make run` gestartet? Dann so:",
  "The same with make": "Dasselbe mit make",
  "Open WebUI reaches the bridge as it is.": "Open WebUI erreicht die Bridge, wie sie ist.",
  "all addresses": "allen Adressen",
  "The bridge listens on {0}.": "Die Bridge lauscht auf {0}.",
  "The bridge listens on {0} only, which cannot be reached from outside this computer.": "Die Bridge lauscht nur auf {0}, was von außerhalb dieses Rechners nicht zu erreichen ist.",
  "The bridge accepts the host name {0}.": "Die Bridge nimmt den Hostnamen {0} an.",
  "The bridge does not accept the host name {0} yet.": "Die Bridge nimmt den Hostnamen {0} noch nicht an.",
  "The bridge allows pages from {0}.": "Die Bridge lässt Seiten von {0} zu.",
  "The bridge does not allow pages from {0} yet.": "Die Bridge lässt Seiten von {0} noch nicht zu.",
  "On Linux, start the container with --add-host=host.docker.internal:host-gateway.": "Unter Linux den Container mit --add-host=host.docker.internal:host-gateway starten.",
  "With --host 0.0.0.0 other computers reach the bridge too. The key keeps them out; the firewall should as well.":
    "Mit --host 0.0.0.0 erreichen auch andere Rechner die Bridge. Der Schlüssel hält sie draußen; die Firewall sollte es auch.",
  "The key travels in plain text over http. Across a network you do not trust, put a TLS proxy in front of the bridge.":
    "Über http reist der Schlüssel im Klartext. In einem fremden Netzwerk einen TLS-Proxy vor die Bridge setzen.",
  "The first use asks for permission to reach apps on this device (Chrome, Edge). Allow it. Safari blocks it.":
    "Beim ersten Mal fragt der Browser, ob Apps auf diesem Gerät erreicht werden dürfen (Chrome, Edge). Zulassen. Safari blockiert es.",
  "Browsers do not let plain http pages on public addresses reach this computer. Use https for Open WebUI, or add the bridge as an administrator.":
    "Browser lassen http-Seiten unter öffentlichen Adressen nicht an diesen Rechner. Open WebUI über https betreiben oder die Bridge als Administrator hinzufügen.",

  // 2. Your key
  "2. Your key": "2. Der Schlüssel",
  "A program that has a key can use your tools through this browser. Give each program its own, so that you can revoke them one by one.":
    "Ein Programm mit Schlüssel kann die eigenen Tools über diesen Browser benutzen. Jedem Programm seinen eigenen geben, damit sich jeder einzeln widerrufen lässt.",
  Keys: "Schlüssel",
  "Name of the program": "Name des Programms",
  "Create a key": "Schlüssel anlegen",
  "New key": "Neuer Schlüssel",
  "Copy the key now. You will not see it again.": "Den Schlüssel jetzt kopieren. Er wird nicht noch einmal gezeigt.",
  "Key {0} revoked": "Schlüssel {0} widerrufen",
  "Revoke the key {0}": "Schlüssel {0} widerrufen",
  "created {0}": "angelegt {0}",
  "last used {0}": "zuletzt benutzt {0}",
  "for all users of Open WebUI": "für alle Benutzer von Open WebUI",
  "For all users of an Open WebUI": "Für alle Benutzer eines Open WebUI",
  "Each call then runs in the page of the user whom Open WebUI names in a signed header.": "Jeder Aufruf läuft dann auf der Seite dessen, den Open WebUI in einem signierten Header nennt.",
  "Each call then runs in the page of the user whom Open WebUI names. Anyone who has the key can act as any user.":
    "Jeder Aufruf läuft dann auf der Seite dessen, den Open WebUI nennt. Wer den Schlüssel hat, kann in jedem Namen handeln.",
  "For this, start the bridge with Open WebUI's FORWARD_USER_INFO_HEADER_JWT_SECRET; now it runs without one.":
    "Dafür die Bridge mit dem FORWARD_USER_INFO_HEADER_JWT_SECRET von Open WebUI starten; jetzt läuft sie ohne.",
  "For a key that uses the bridge as a model": "Für einen Schlüssel, der die Bridge als Modell benutzt",
  "Calls in a model's answers": "Aufrufe in Antworten eines Modells",
  Default: "Standard",
  "Hidden: only what the model says": "Verborgen: nur, was das Modell sagt",
  "Open WebUI chips in the text": "Chips von Open WebUI im Text",
  "Responses API items": "Einträge der Responses API",
  "hides calls": "verbirgt Aufrufe",
  "shows calls as chips": "zeigt Aufrufe als Chips",
  "shows calls as items": "zeigt Aufrufe als Einträge",
  "Memory of chats": "Gedächtnis in Chats",
  "Default: on for Open WebUI": "Standard: an für Open WebUI",
  "On: invisible lines in the text": "An: unsichtbare Zeilen im Text",
  "On: invisible characters in the text": "An: unsichtbare Zeichen im Text",
  Off: "Aus",
  "no memory of chats": "kein Gedächtnis in Chats",
  "memory by lines": "Gedächtnis durch Zeilen",
  "memory by characters": "Gedächtnis durch Zeichen",
  "A key for all users works only in an administrator's connection: a browser does not say whose call it is, so the bridge refuses the key there. Create a key of your own.":
    "Ein Schlüssel für alle gilt nur in der Verbindung eines Administrators: Ein Browser sagt nicht, von wem ein Aufruf ist, darum lehnt die Bridge den Schlüssel dort ab. Einen eigenen Schlüssel anlegen.",
  "Each call runs in the page of the person who makes it. The key acts for all of them: use it in this connection only, and for no other program.":
    "Jeder Aufruf läuft auf der Seite dessen, der ihn macht. Der Schlüssel handelt für alle: nur in dieser Verbindung benutzen und für kein anderes Programm.",
  "The key is stored in your Open WebUI settings and in this browser.": "Der Schlüssel wird in den eigenen Einstellungen von Open WebUI und in diesem Browser gespeichert.",
  "Anyone who may use this connection in Open WebUI acts through your browser. Give access only to yourself.":
    "Wer diese Verbindung in Open WebUI benutzen darf, handelt über den eigenen Browser. Nur sich selbst Zugriff geben.",

  // 3. and 4. The connection in Open WebUI
  "3. The connection": "3. Die Verbindung",
  "your key; create one above": "der Schlüssel; oben anlegen",
  "Save as a file to import": "Als Datei zum Importieren speichern",
  "The same as JSON": "Dasselbe als JSON",
  "Connection object for Open WebUI": "Verbindungsobjekt für Open WebUI",
  "4. In Open WebUI 0.12": "4. In Open WebUI 0.12",
  "As an administrator: user menu → Settings → Admin, Tools: Integrations → External Tool Servers → +.":
    "Als Administrator: Benutzermenü → Settings → Admin, Tools: Integrations → External Tool Servers → +.",
  "User menu → Settings → Personal, Services: Integrations → External Tool Servers → +.": "Benutzermenü → Settings → Personal, Services: Integrations → External Tool Servers → +.",
  "An administrator switches on Admin → Integrations → User Connections: Direct Integrations, and for other users the permission Direct Tool Servers.":
    "Ein Administrator schaltet Admin → Integrations → User Connections: Direct Integrations ein und für andere Benutzer das Recht Direct Tool Servers.",
  "Type OpenAPI, URL {0}, Auth Bearer with the key{1}, then Save. Or choose Import and take the file from above.":
    "Type OpenAPI, URL {0}, Auth Bearer mit dem Schlüssel{1}, dann Save. Oder Import wählen und die Datei von oben nehmen.",
  "Access Control: whoever is to use it.": "Access Control: wer sie benutzen soll.",
  "Access Control: leave it private, or add yourself.": "Access Control: privat lassen oder sich selbst hinzufügen.",
  "Reload Open WebUI: it reads tool servers when the page loads.": "Open WebUI neu laden: Es liest Tool-Server beim Laden der Seite.",
  "In a chat: Integrations (below the message) → Tools → switch {0} on.": "Im Chat: Integrations (unter der Nachricht) → Tools → {0} einschalten.",
  "Function Calling must be Native (the default): Chat Controls → Advanced Params.": "Function Calling muss Native sein (der Standard): Chat Controls → Advanced Params.",
  "With these environment variables, which Open WebUI reads at every start, it says whose call it is:":
    "Mit diesen Umgebungsvariablen, die Open WebUI bei jedem Start liest, sagt es, von wem ein Aufruf ist:",
  "The same as environment variables of Open WebUI, which it reads at its first start:": "Dasselbe als Umgebungsvariablen von Open WebUI, die es beim ersten Start liest:",
  "Environment variables of Open WebUI": "Umgebungsvariablen von Open WebUI",

  // Other programs
  "Any other program": "Jedes andere Programm",
  "The tools are plain HTTP with a bearer key; the document is OpenAPI 3.1.": "Die Tools sind einfaches HTTP mit einem Bearer-Schlüssel; das Dokument ist OpenAPI 3.1.",
  "List the tools with curl": "Tools mit curl auflisten",
  "Call a tool with curl": "Ein Tool mit curl aufrufen",
  "For MCP clients": "Für MCP-Clients",
  "The same tools over the Model Context Protocol, with the same key. This browser performs the calls, and asks you as always.":
    "Dieselben Tools über das Model Context Protocol, mit demselben Schlüssel. Dieser Browser führt die Aufrufe aus und fragt wie immer.",
  Client: "Client",
  "Tools of": "Tools von",
  "All servers": "Alle Server",
  "Create a key above, and it stands in what you copy.": "Oben einen Schlüssel anlegen, dann steht er in dem, was kopiert wird.",
  "As a model": "Als Modell",
  "OpenAI clients can use the bridge as a model. The model behind it gets your tools, this browser performs its calls, and you get the answer.":
    "OpenAI-Clients können die Bridge als Modell benutzen. Das Modell dahinter bekommt die eigenen Tools, dieser Browser führt seine Aufrufe aus, und die Antwort kommt zurück.",
  Model: "Modell",
  "The models cannot be listed: {0}": "Die Modelle lassen sich nicht auflisten: {0}",
  "No provider lists any models now. Replace MODEL with the name of yours.": "Kein Anbieter nennt gerade Modelle. MODEL durch den Namen des eigenen ersetzen.",
  "Base URL": "Basis-URL",
  "OpenAI's SDK for Python": "OpenAIs SDK für Python",
  "Ask with OpenAI's SDK for Python": "Mit OpenAIs SDK für Python fragen",
  "Ask with curl": "Mit curl fragen",
  "Open WebUI 0.12, as a model connection": "Open WebUI 0.12, als Verbindung zu einem Modell",
  "URL of the model connection": "URL der Verbindung zum Modell",
  "Headers of the model connection": "Header der Verbindung zum Modell",
};
