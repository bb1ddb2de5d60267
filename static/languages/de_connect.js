// @ts-check
/** German of connecting programs. Names of menus are Open WebUI's own, in English, as its page may be in any language. */

/** @type {Record<string, string>} */
export const GERMAN_CONNECT = {
  // The programs
  "Choose a program, create a key for it, and copy what stands below. The program then uses your tools through this browser.":
    "Ein Programm wählen, einen Schlüssel dafür anlegen und kopieren, was darunter steht. Das Programm benutzt die Tools dann über diesen Browser.",
  "What do you want to connect?": "Was soll verbunden werden?",
  "OpenAI's SDK": "OpenAIs SDK",
  "Anthropic's SDK": "Anthropics SDK",
  "curl and others": "curl und andere",
  "Add to Cursor": "Zu Cursor hinzufügen",
  "Add to VS Code": "Zu VS Code hinzufügen",
  "The link holds the key that you just made. Anyone who has the link has the key.":
    "Der Link enthält den eben angelegten Schlüssel. Wer den Link hat, hat den Schlüssel.",
  "Does it work?": "Funktioniert es?",
  "Test the connection": "Verbindung testen",
  "Create a key above first: the test knows the program by it.":
    "Zuerst oben einen Schlüssel anlegen: Daran erkennt der Test das Programm.",
  "Put the settings above into the program, then test.": "Die Einstellungen oben ins Programm eintragen, dann testen.",
  "Waiting for the first call with the key {0}.": "Wartet auf den ersten Aufruf mit dem Schlüssel {0}.",
  "Have the program call any tool now, in its own window. This turns green when the call arrives in this browser.":
    "Jetzt das Programm in seinem eigenen Fenster irgendein Tool aufrufen lassen. Sobald der Aufruf in diesem Browser ankommt, wird es hier grün.",
  "Connected: the first call with the key {0} has arrived, for {1}.":
    "Verbunden: Der erste Aufruf mit dem Schlüssel {0} ist angekommen, für {1}.",

  // The two questions of Open WebUI
  "Where does Open WebUI run?": "Wo läuft Open WebUI?",
  "On this computer": "Auf diesem Rechner",
  "for example installed with pip": "zum Beispiel mit pip installiert",
  "In Docker on this computer": "In Docker auf diesem Rechner",
  "the container has its own network": "der Container hat sein eigenes Netzwerk",
  "On another computer": "Auf einem anderen Rechner",
  "a server, or a colleague's machine": "auf einem Server oder bei jemand anderem",
  "How do you add the bridge there?": "Wie wird die Bridge dort hinzugefügt?",
  "As an administrator": "Als Administrator",
  "Open WebUI's server calls the bridge: the usual way":
    "der Server von Open WebUI ruft die Bridge auf: der übliche Weg",
  "As a user": "Als Benutzer",
  "your browser calls the bridge: no need to open the bridge to the network":
    "der eigene Browser ruft die Bridge auf: Sie muss nicht ins Netzwerk geöffnet werden",
  "Address of Open WebUI in your browser": "Adresse von Open WebUI im Browser",
  "This computer, as seen from there": "Dieser Rechner, von dort aus gesehen",
  "Its name or IP address in the network.": "Sein Name oder seine IP-Adresse im Netzwerk.",

  // Plugins
  "Plugins for Open WebUI": "Plugins für Open WebUI",
  "Paste a plugin into Open WebUI. In its valves, set the bridge's address and your key.":
    "Ein Plugin in Open WebUI einfügen. In seinen Valves die Adresse der Bridge und den Schlüssel eintragen.",
  "A function (Pipe): the models of the bridge, with Open WebUI's own tools.":
    "Eine Funktion (Pipe): die Modelle der Bridge, mit den Tools von Open WebUI.",
  "A tool: a model gives a task to itself.": "Ein Tool: Ein Modell stellt sich selbst eine Aufgabe.",

  // The bridge
  "Nothing to restart.": "Nichts neu zu starten.",
  "Stop the bridge and start it again with these options:":
    "Die Bridge beenden und mit diesen Optionen wieder starten:",
  "Command that starts the bridge": "Befehl, der die Bridge startet",
  "Add any other options you use, which this page does not know:":
    "Eigene weitere Optionen ergänzen, von denen diese Seite nichts weiß:",
  "Did you start it with `make run`? Then it is:": "Mit `make run` gestartet? Dann so:",
  "The same with make": "Dasselbe mit make",
  "Open WebUI reaches the bridge as it is.": "Open WebUI erreicht die Bridge, wie sie ist.",
  "all addresses": "allen Adressen",
  "The bridge listens on {0}.": "Die Bridge lauscht auf {0}.",
  "The bridge listens on {0} only, which cannot be reached from outside this computer.":
    "Die Bridge lauscht nur auf {0}, was von außerhalb dieses Rechners nicht zu erreichen ist.",
  "The bridge accepts the host name {0}.": "Die Bridge nimmt den Hostnamen {0} an.",
  "The bridge does not accept the host name {0} yet.": "Die Bridge nimmt den Hostnamen {0} noch nicht an.",
  "The bridge allows pages from {0}.": "Die Bridge lässt Seiten von {0} zu.",
  "The bridge does not allow pages from {0} yet.": "Die Bridge lässt Seiten von {0} noch nicht zu.",
  "On Linux, start the container with --add-host=host.docker.internal:host-gateway.":
    "Unter Linux den Container mit --add-host=host.docker.internal:host-gateway starten.",
  "With --host 0.0.0.0 other computers reach the bridge too. The key keeps them out; the firewall should as well.":
    "Mit --host 0.0.0.0 erreichen auch andere Rechner die Bridge. Der Schlüssel hält sie draußen; die Firewall sollte es auch.",
  "The key travels in plain text over http. Across a network you do not trust, put a TLS proxy in front of the bridge.":
    "Über http reist der Schlüssel im Klartext. In einem fremden Netzwerk einen TLS-Proxy vor die Bridge setzen.",
  "The first use asks for permission to reach apps on this device (Chrome, Edge). Allow it. Safari blocks it.":
    "Beim ersten Mal fragt der Browser, ob Apps auf diesem Gerät erreicht werden dürfen (Chrome, Edge). Zulassen. Safari blockiert es.",
  "Browsers do not let plain http pages on public addresses reach this computer. Use https for Open WebUI, or add the bridge as an administrator.":
    "Browser lassen http-Seiten unter öffentlichen Adressen nicht an diesen Rechner. Open WebUI über https betreiben oder die Bridge als Administrator hinzufügen.",

  // The key
  "Your key": "Der Schlüssel",
  "A program that has a key can use your tools through this browser. Give each program its own, so that you can revoke them one by one.":
    "Ein Programm mit Schlüssel kann die eigenen Tools über diesen Browser benutzen. Jedem Programm seinen eigenen geben, damit sich jeder einzeln widerrufen lässt.",
  Keys: "Schlüssel",
  "Name of the program": "Name des Programms",
  "Create a key": "Schlüssel anlegen",
  "New key": "Neuer Schlüssel",
  "Copy the key now. You will not see it again.": "Den Schlüssel jetzt kopieren. Er wird nicht noch einmal gezeigt.",
  "Key {0} revoked": "Schlüssel {0} widerrufen",
  "Key {0} restored": "Schlüssel {0} wiederhergestellt",
  "Revoke the key {0}": "Schlüssel {0} widerrufen",
  "created {0}": "angelegt {0}",
  "last used {0}": "zuletzt benutzt {0}",
  "for all users of Open WebUI": "für alle Benutzer von Open WebUI",
  "For all users of an Open WebUI": "Für alle Benutzer eines Open WebUI",
  "Each call then runs in the page of the user whom Open WebUI names in a signed header.":
    "Jeder Aufruf läuft dann auf der Seite dessen, den Open WebUI in einem signierten Header nennt.",
  "Each call then runs in the page of the user whom Open WebUI names. Anyone who has the key can act as any user.":
    "Jeder Aufruf läuft dann auf der Seite dessen, den Open WebUI nennt. Wer den Schlüssel hat, kann in jedem Namen handeln.",
  "For this, set the bridge's TOOL_BRIDGE_USER_JWT_SECRET to Open WebUI's FORWARD_USER_INFO_HEADER_JWT_SECRET; now it has none.":
    "Dafür TOOL_BRIDGE_USER_JWT_SECRET der Bridge auf das FORWARD_USER_INFO_HEADER_JWT_SECRET von Open WebUI setzen; jetzt fehlt es.",
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
  "The key is stored in your Open WebUI settings and in this browser.":
    "Der Schlüssel wird in den eigenen Einstellungen von Open WebUI und in diesem Browser gespeichert.",
  "Anyone who may use this connection in Open WebUI acts through your browser. Give access only to yourself.":
    "Wer diese Verbindung in Open WebUI benutzen darf, handelt über den eigenen Browser. Nur sich selbst Zugriff geben.",

  // 3. and 4. The connection in Open WebUI
  "The connection": "Die Verbindung",
  "your key; create one above": "der Schlüssel; oben anlegen",
  "Save as a file to import": "Als Datei zum Importieren speichern",
  "The same as JSON": "Dasselbe als JSON",
  "Connection object for Open WebUI": "Verbindungsobjekt für Open WebUI",
  "In Open WebUI 0.12": "In Open WebUI 0.12",
  "As an administrator: user menu → Settings → Admin, Tools: Integrations → External Tool Servers → +.":
    "Als Administrator: Benutzermenü → Settings → Admin, Tools: Integrations → External Tool Servers → +.",
  "User menu → Settings → Personal, Services: Integrations → External Tool Servers → +.":
    "Benutzermenü → Settings → Personal, Services: Integrations → External Tool Servers → +.",
  "An administrator switches on Admin → Integrations → User Connections: Direct Integrations, and for other users the permission Direct Tool Servers.":
    "Ein Administrator schaltet Admin → Integrations → User Connections: Direct Integrations ein und für andere Benutzer das Recht Direct Tool Servers.",
  "Type OpenAPI, URL {0}, Auth Bearer with the key{1}, then Save. Or choose Import and take the file from above.":
    "Type OpenAPI, URL {0}, Auth Bearer mit dem Schlüssel{1}, dann Save. Oder Import wählen und die Datei von oben nehmen.",
  "Access Control: whoever is to use it.": "Access Control: wer sie benutzen soll.",
  "Access Control: leave it private, or add yourself.": "Access Control: privat lassen oder sich selbst hinzufügen.",
  "Reload Open WebUI: it reads tool servers when the page loads.":
    "Open WebUI neu laden: Es liest Tool-Server beim Laden der Seite.",
  "In a chat: Integrations (below the message) → Tools → switch {0} on.":
    "Im Chat: Integrations (unter der Nachricht) → Tools → {0} einschalten.",
  "Function Calling must be Native (the default): Chat Controls → Advanced Params.":
    "Function Calling muss Native sein (der Standard): Chat Controls → Advanced Params.",
  "With these environment variables, which Open WebUI reads at every start, it says whose call it is:":
    "Mit diesen Umgebungsvariablen, die Open WebUI bei jedem Start liest, sagt es, von wem ein Aufruf ist:",
  "The same as environment variables of Open WebUI, which it reads at its first start:":
    "Dasselbe als Umgebungsvariablen von Open WebUI, die es beim ersten Start liest:",
  "Environment variables of Open WebUI": "Umgebungsvariablen von Open WebUI",

  // Other programs
  "Any other program": "Jedes andere Programm",
  "The tools are plain HTTP with a bearer key; the document is OpenAPI 3.1.":
    "Die Tools sind einfaches HTTP mit einem Bearer-Schlüssel; das Dokument ist OpenAPI 3.1.",
  "List the tools with curl": "Tools mit curl auflisten",
  "Call a tool with curl": "Ein Tool mit curl aufrufen",
  "For MCP clients": "Für MCP-Clients",
  "The same tools over the Model Context Protocol, with the same key. This browser performs the calls, and asks you as always.":
    "Dieselben Tools über das Model Context Protocol, mit demselben Schlüssel. Dieser Browser führt die Aufrufe aus und fragt wie immer.",
  "Tools of": "Tools von",
  "All servers": "Alle Server",
  "Create a key above, and it stands in what you copy.":
    "Oben einen Schlüssel anlegen, dann steht er in dem, was kopiert wird.",
  "As a model": "Als Modell",
  "OpenAI clients can use the bridge as a model. The model behind it gets your tools, this browser performs its calls, and you get the answer.":
    "OpenAI-Clients können die Bridge als Modell benutzen. Das Modell dahinter bekommt die eigenen Tools, dieser Browser führt seine Aufrufe aus, und die Antwort kommt zurück.",
  Model: "Modell",
  "The models cannot be listed: {0}": "Die Modelle lassen sich nicht auflisten: {0}",
  "No provider lists any models now. Replace MODEL with the name of yours.":
    "Kein Anbieter nennt gerade Modelle. MODEL durch den Namen des eigenen ersetzen.",
  "Base URL": "Basis-URL",
  "Ask with OpenAI's SDK for Python": "Mit OpenAIs SDK für Python fragen",
  "Ask with curl": "Mit curl fragen",
  "Open WebUI 0.12, as a model connection": "Open WebUI 0.12, als Verbindung zu einem Modell",
  "URL of the model connection": "URL der Verbindung zum Modell",
  "Headers of the model connection": "Header der Verbindung zum Modell",
  "As an administrator: user menu → Settings → Admin: Connections → Manage OpenAI API Connections → +.":
    "Als Administrator: Benutzermenü → Settings → Admin: Connections → Manage OpenAI API Connections → +.",
  "URL {0}, Auth Bearer with your key, API type Chat Completions. Model IDs stay empty: all are listed.":
    "URL {0}, Auth Bearer mit dem Schlüssel, API type Chat Completions. Model IDs bleibt leer: Alle werden aufgelistet.",
  "Advanced: Headers as below. The bridge then shows in the chat what runs and what waits for your approval, remembers tool calls for the next turn, and makes titles and tags without your tools. Save.":
    "Advanced: Headers wie unten. Die Bridge zeigt dann im Chat, was läuft und was auf Freigabe wartet, merkt sich Aufrufe für die nächste Antwort und erstellt Titel und Tags ohne die eigenen Tools. Save.",
  "Choose the model in a chat. Do not also add the bridge as a tool server of the same chat: the model would be offered every tool twice.":
    "Das Modell im Chat wählen. Die Bridge nicht zusätzlich als Tool-Server desselben Chats hinzufügen: Sonst bekäme das Modell jedes Tool zweimal angeboten.",

  // MCP clients
  "Command for Claude Code": "Befehl für Claude Code",
  "The same as .mcp.json of a project": "Dasselbe als .mcp.json eines Projekts",
  "mcp.json of VS Code": "mcp.json von VS Code",
  "Connection object of the type MCP": "Verbindungsobjekt vom Typ MCP",
  "The tool mcp of OpenAI's Responses API": "Das Tool mcp der Responses API von OpenAI",
  "Python with Pydantic AI": "Python mit Pydantic AI",
  "Python with LangChain": "Python mit LangChain",
  "A call of which it hears nothing for 300 s ends; the bridge sends progress at least every 15 s.":
    "Ein Aufruf, von dem es 300 s lang nichts hört, endet; die Bridge sendet mindestens alle 15 s einen Fortschritt.",
  "Its connectors, like those of claude.ai, take no key (only OAuth), so the program mcp-remote on this computer adds it; Node.js is needed. Calls of about 60 s were seen to be given up.":
    "Seine Konnektoren nehmen wie die von claude.ai keinen Schlüssel (nur OAuth), darum ergänzt ihn das Programm mcp-remote auf diesem Rechner; es braucht Node.js. Beobachtet wurde, dass Aufrufe nach etwa 60 s aufgegeben werden.",
  "Its documentation of 2025 gives the model the first 40 tools only: choose one server above, or fewer tools under Tools.":
    "Laut seiner Dokumentation von 2025 bekommt das Modell nur die ersten 40 Tools: oben einen Server wählen oder unter Tools weniger davon.",
  "Open it with the command MCP: Open User Configuration; a .vscode/mcp.json would be shared with the project, and the key in it. A request has 128 tools at most.":
    "Mit dem Befehl „MCP: Open User Configuration“ öffnen; eine .vscode/mcp.json würde mit dem Projekt geteilt und der Schlüssel darin auch. Eine Anfrage hat höchstens 128 Tools.",
  "Without tool_timeout_sec it gives a call up after 60 s, which is too short for an approval.":
    "Ohne tool_timeout_sec gibt es einen Aufruf nach 60 s auf, was für eine Freigabe zu kurz ist.",
  "Administrators only, and everybody whom they let use it acts with this key's browser. As OpenAPI, above, it also serves each user with their own: prefer that.":
    "Nur für Administratoren, und alle, denen sie es erlauben, handeln über den Browser dieses Schlüssels. Als OpenAPI, oben, bedient die Bridge auch jeden mit dem eigenen: Das ist vorzuziehen.",
  "OpenAI's servers call the bridge, so its address must be public and https; the key is sent to OpenAI with each request. The bridge still asks you about unsafe calls.":
    "Die Server von OpenAI rufen die Bridge auf, darum muss ihre Adresse öffentlich und https sein; der Schlüssel geht mit jeder Anfrage an OpenAI. Bei Aufrufen, die etwas ändern können, fragt die Bridge weiterhin.",
  "Two failed calls of a tool in a row end the run; MCPToolset takes max_retries. It asks for no progress and waits in silence.":
    "Zwei fehlgeschlagene Aufrufe eines Tools in Folge beenden den Lauf; MCPToolset nimmt max_retries. Es verlangt keinen Fortschritt und wartet still.",
  "When it gives a call up it says nothing to the bridge, so the call runs on.":
    "Gibt es einen Aufruf auf, sagt es der Bridge nichts davon, und der Aufruf läuft weiter.",
  "Fields of the node MCP Client Tool": "Felder des Knotens MCP Client Tool",
  "MCP connector of Anthropic's Messages API": "MCP-Konnektor der Messages API von Anthropic",
  "Start it again afterwards; /mcp then lists the tools. It waits for a call as long as timeout says.":
    "Danach neu starten; /mcp listet dann die Tools auf. Auf einen Aufruf wartet es so lange, wie timeout sagt.",
  "All its users act with this key's browser. In Docker it reaches this computer as host.docker.internal, which the bridge has to accept (--allow-host) and listen for (--host 0.0.0.0).":
    "Alle seine Benutzer handeln über den Browser dieses Schlüssels. In Docker erreicht es diesen Rechner als host.docker.internal; die Bridge muss den Namen annehmen (--allow-host) und darauf lauschen (--host 0.0.0.0).",
  "The node belongs to an AI Agent; its token is a credential of n8n. In Docker it reaches this computer as host.docker.internal, which the bridge has to accept (--allow-host) and listen for (--host 0.0.0.0).":
    "Der Knoten gehört zu einem AI Agent; sein Token ist ein Credential von n8n. In Docker erreicht es diesen Rechner als host.docker.internal; die Bridge muss den Namen annehmen (--allow-host) und darauf lauschen (--host 0.0.0.0).",
  "Anthropic's servers call the bridge, so its address must be public and https; the key is sent to Anthropic with each request. The bridge still asks you about unsafe calls.":
    "Die Server von Anthropic rufen die Bridge auf, darum muss ihre Adresse öffentlich und https sein; der Schlüssel geht mit jeder Anfrage an Anthropic. Bei Aufrufen, die etwas ändern können, fragt die Bridge weiterhin.",
  "The request was tried with Anthropic's SDK; Anthropic's servers were not.":
    "Die Anfrage wurde mit dem SDK von Anthropic ausprobiert, die Server von Anthropic nicht.",
  "Not tried.": "Nicht ausprobiert.",
  "Tried with Claude Code 2.1.330 as far as its own check of the connection.":
    "Ausprobiert mit Claude Code 2.1.330, bis zu dessen eigener Prüfung der Verbindung.",
  "The command was tried with mcp-remote 0.15.1; Claude Desktop was not tried.":
    "Der Befehl wurde mit mcp-remote 0.15.1 ausprobiert, Claude Desktop nicht.",
  "Read by Codex 0.169.0 (codex mcp list); no call was tried.":
    "Von Codex 0.169.0 gelesen (codex mcp list); ein Aufruf wurde nicht ausprobiert.",
  "The request was tried with OpenAI's SDK; OpenAI's servers were not.":
    "Die Anfrage wurde mit dem SDK von OpenAI ausprobiert, die Server von OpenAI nicht.",
  "Tried with pydantic-ai 2.68 and its model for tests.":
    "Ausprobiert mit pydantic-ai 2.68 und dessen Modell für Tests.",
  "Tried with langchain-mcp-adapters 0.3.2.": "Ausprobiert mit langchain-mcp-adapters 0.3.2.",
};
