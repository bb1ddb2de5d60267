// @ts-check
/** German of what the probe and a login say, which programs read in English. */

/** @type {Record<string, string>} */
export const GERMAN_HEARD = {
  // Of an address
  "This page reaches the API and may read its answers.": "Diese Seite erreicht die API und darf ihre Antworten lesen.",
  "This page reaches the MCP server and lists its tools.": "Diese Seite erreicht den MCP-Server und listet seine Tools auf.",
  "This page reaches the API, but the API refuses requests with a JSON body or a key (CORS preflight). Its CORS settings must also allow the headers content-type and authorization and the methods its operations use.":
    "Diese Seite erreicht die API, aber die API lehnt Anfragen mit JSON-Body oder Schlüssel ab (CORS-Preflight). Ihre CORS-Einstellungen müssen auch die Header content-type und authorization und die Methoden ihrer Operationen zulassen.",
  "{0} is up, but does not let this page read its answers (CORS). The API must allow the origin of the bridge page, the method and the headers that are sent.":
    "{0} läuft, lässt diese Seite seine Antworten aber nicht lesen (CORS). Die API muss die Herkunft der Bridge-Seite, die Methode und die gesendeten Header zulassen.",
  "{0} has let this page read answers (last at {1}), so CORS is set up there. Most likely this answer was an error (4xx or 5xx) or a redirect, to which the API adds no CORS headers: look at the API's log.":
    "{0} hat diese Seite schon Antworten lesen lassen (zuletzt {1}), CORS ist dort also eingerichtet. Vermutlich war diese Antwort ein Fehler (4xx oder 5xx) oder eine Umleitung, denen die API keine CORS-Header mitgibt: im Log der API nachsehen.",
  "{0} redirects this request, and this page may not read the answer to which it leads: perhaps a login page or an error. Open the address in a tab to see where it leads.":
    "{0} leitet diese Anfrage um, und die Antwort am Ende darf diese Seite nicht lesen: vielleicht eine Anmeldeseite oder ein Fehler. Die Adresse in einem Tab öffnen, um zu sehen, wohin sie führt.",
  "{0} redirects this request and never answers it: most likely in a circle. Often one part of the API adds a slash at the end of the path and another removes it. Open the address in a tab to see, and put the final address into the document or the server's base URL.":
    "{0} leitet diese Anfrage um und beantwortet sie nie: vermutlich im Kreis. Oft fügt ein Teil der API am Ende des Pfads einen Schrägstrich an, und ein anderer nimmt ihn weg. Die Adresse in einem Tab öffnen und die endgültige Adresse ins Dokument oder in die Basis-URL des Servers eintragen.",
  "{0} redirected to another origin, which is not among those you accepted. Put the final address into the server's base URL.":
    "{0} leitet auf eine andere Herkunft um, die nicht akzeptiert ist. Die endgültige Adresse in die Basis-URL des Servers eintragen.",
  "Nothing answers at {0}. Check that the API is running and that the address and port are right.": "Unter {0} antwortet nichts. Prüfen, ob die API läuft und ob Adresse und Port stimmen.",
  "This computer is offline, so {0} cannot be reached.": "Dieser Rechner ist offline, darum ist {0} nicht zu erreichen.",
  "This page came over https, and the browser blocks the plain http address {0}. Use https for the API, or open the bridge page on http://localhost.":
    "Diese Seite kam über https, und der Browser blockiert die einfache http-Adresse {0}. Für die API https benutzen oder die Seite der Bridge unter http://localhost öffnen.",
  "This page came over https, and the browser blocks the plain http address {0}. Allow local network access for this page, use https or the IP address for the API, or open the bridge page on http://localhost.":
    "Diese Seite kam über https, und der Browser blockiert die einfache http-Adresse {0}. Dieser Seite den Zugriff auf das lokale Netzwerk erlauben, für die API https oder ihre IP-Adresse benutzen oder die Seite der Bridge unter http://localhost öffnen.",
  'The browser does not let this page reach apps on this device. Open the bridge page, press "Check" for this server and allow access to apps on this device. A bridge page on http://localhost needs no permission.':
    "Der Browser lässt diese Seite nicht an Apps auf diesem Gerät. Auf der Seite der Bridge bei diesem Server „Prüfen“ drücken und den Zugriff auf Apps auf diesem Gerät erlauben. Unter http://localhost braucht die Seite keine Erlaubnis.",
  'The browser does not let this page reach devices on your local network. Open the bridge page, press "Check" for this server and allow access to devices on your local network. A bridge page on http://localhost needs no permission.':
    "Der Browser lässt diese Seite nicht an Geräte im lokalen Netzwerk. Auf der Seite der Bridge bei diesem Server „Prüfen“ drücken und den Zugriff auf Geräte im lokalen Netzwerk erlauben. Unter http://localhost braucht die Seite keine Erlaubnis.",
  "The browser does not let this page reach apps on this device. Open the site settings of the bridge page (icon left of the address), allow access to apps on this device, and reload. A bridge page on http://localhost needs no permission.":
    "Der Browser lässt diese Seite nicht an Apps auf diesem Gerät. In den Website-Einstellungen der Bridge-Seite (Symbol links neben der Adresse) den Zugriff auf Apps auf diesem Gerät erlauben und neu laden. Unter http://localhost braucht die Seite keine Erlaubnis.",
  "The browser does not let this page reach devices on your local network. Open the site settings of the bridge page (icon left of the address), allow access to devices on your local network, and reload. A bridge page on http://localhost needs no permission.":
    "Der Browser lässt diese Seite nicht an Geräte im lokalen Netzwerk. In den Website-Einstellungen der Bridge-Seite (Symbol links neben der Adresse) den Zugriff auf Geräte im lokalen Netzwerk erlauben und neu laden. Unter http://localhost braucht die Seite keine Erlaubnis.",
  "The address did not answer within a minute.": "Die Adresse hat eine Minute lang nicht geantwortet.",
  "The address answered with HTTP status {0}. It asks for a login. Download the document yourself and add it as a file.":
    "Die Adresse hat mit HTTP-Status {0} geantwortet. Sie verlangt eine Anmeldung. Das Dokument selbst herunterladen und als Datei hinzufügen.",
  "The address answered with HTTP status {0}. It refuses access. Download the document yourself and add it as a file.":
    "Die Adresse hat mit HTTP-Status {0} geantwortet. Sie verweigert den Zugriff. Das Dokument selbst herunterladen und als Datei hinzufügen.",
  "The address answered with HTTP status {0}. There is nothing at this address. Check the path.": "Die Adresse hat mit HTTP-Status {0} geantwortet. Dort gibt es nichts. Den Pfad prüfen.",
  "The address answered with HTTP status {0}. Try again later, or add the document as a file.": "Die Adresse hat mit HTTP-Status {0} geantwortet. Später noch einmal versuchen oder das Dokument als Datei hinzufügen.",
  "The address answers with a redirect. Enter the final address of the MCP server.": "Die Adresse antwortet mit einer Umleitung. Die endgültige Adresse des MCP-Servers eingeben.",
  "The address answers with a stream of events, not with a document.": "Die Adresse antwortet mit einem Strom von Ereignissen, nicht mit einem Dokument.",
  "The address answers, but with an empty body.": "Die Adresse antwortet, aber mit leerem Body.",
  "The document is larger than 32 MiB.": "Das Dokument ist größer als 32 MiB.",
  "This address is a web page, not an OpenAPI document, and none was found from it. Documentation pages usually link to the document: look for openapi.json, openapi.yaml, swagger.json or v3/api-docs.":
    "Unter dieser Adresse liegt eine Webseite, kein OpenAPI-Dokument, und von ihr aus wurde keines gefunden. Dokumentationsseiten verlinken das Dokument meist: nach openapi.json, openapi.yaml, swagger.json oder v3/api-docs suchen.",
  "There seems to be an MCP server at this address, but it refuses requests from this page: the browser asks first (a CORS preflight), and the server says no (often 405, it knows no CORS; or 403, it does not allow this page's origin).":
    "Unter dieser Adresse scheint ein MCP-Server zu laufen, aber er lehnt Anfragen dieser Seite ab: Der Browser fragt zuerst (CORS-Preflight), und der Server sagt Nein (oft 405, dann kennt er kein CORS; oder 403, dann lässt er die Herkunft dieser Seite nicht zu).",
  "The MCP server began a session, but does not let this page read its header Mcp-Session-Id, so nothing more can be asked.":
    "Der MCP-Server hat eine Sitzung begonnen, lässt diese Seite aber seinen Header Mcp-Session-Id nicht lesen, darum sind keine weiteren Anfragen möglich.",
  "The MCP server asks for a login.": "Der MCP-Server verlangt eine Anmeldung.",

  // Of a login
  "It says: “{0}”": "Er sagt: „{0}“",
  "The login was refused there, by you or by the server.": "Die Anmeldung wurde dort abgelehnt, vom Server oder von Hand.",
  "The server does not know this client. Check the client id, and the secret if there is one.": "Der Server kennt diesen Client nicht. Die Client-ID prüfen, und das Secret, falls es eines gibt.",
  "The server does not let this client log in this way.": "Der Server lässt diesen Client sich so nicht anmelden.",
  "The server does not give one of the scopes. Untick some and try again.": "Der Server erteilt einen der Scopes nicht. Einige abwählen und noch einmal versuchen.",
  "The server does not take the name of the API. Untick “Name the API” and try again.": "Der Server nimmt den Namen der API nicht an. „Dem Autorisierungsserver die API nennen“ abwählen und noch einmal versuchen.",
  "The server does not accept this code or token any more.": "Der Server nimmt diesen Code oder dieses Token nicht mehr an.",
  "The server does not accept the request.": "Der Server nimmt die Anfrage nicht an.",
  "The server failed. Try again later.": "Beim Server ist ein Fehler aufgetreten. Später noch einmal versuchen.",
  "The server is busy. Try again later.": "Der Server ist ausgelastet. Später noch einmal versuchen.",
  "The server refuses ({0}).": "Der Server lehnt ab ({0}).",
  "The server did not answer in time.": "Der Server hat nicht rechtzeitig geantwortet.",
  "The server cannot be reached, or does not let web pages read its answers (CORS).": "Der Server ist nicht zu erreichen oder lässt Webseiten seine Antworten nicht lesen (CORS).",
  "The server's answer cannot be used: {0}": "Die Antwort des Servers ist nicht verwendbar: {0}",
  "The answer does not say which server it comes from, although this server always does (`iss` is missing). Nothing was sent to the server. The login is refused.":
    "Die Antwort sagt nicht, von welchem Server sie kommt, obwohl dieser Server das immer tut (`iss` fehlt). An den Server wurde nichts gesendet. Die Anmeldung wird abgelehnt.",
  "The answer comes from another server than the one you were sent to (`iss` differs): somebody may be mixing up two servers. Its code was not used. The login is refused.":
    "Die Antwort kommt von einem anderen Server als dem, zu dem die Anmeldung führte (`iss` weicht ab): Vielleicht vertauscht jemand zwei Server. Ihr Code wurde nicht benutzt. Die Anmeldung wird abgelehnt.",
  "The answer carries no `state`, so it may be another login's. Its code was not used. The login is refused.": "Die Antwort hat kein `state`, vielleicht gehört sie zu einer anderen Anmeldung. Ihr Code wurde nicht benutzt. Die Anmeldung wird abgelehnt.",
  "The answer belongs to another login (`state` differs). Its code was not used. The login is refused.": "Die Antwort gehört zu einer anderen Anmeldung (`state` weicht ab). Ihr Code wurde nicht benutzt. Die Anmeldung wird abgelehnt.",
  "The identity token belongs to another login (`nonce` differs). The login is refused.": "Das ID-Token gehört zu einer anderen Anmeldung (`nonce` weicht ab). Die Anmeldung wird abgelehnt.",
  "The server describes itself as another one (`issuer` differs). The login is refused.": "Der Server beschreibt sich als ein anderer (`issuer` weicht ab). Die Anmeldung wird abgelehnt.",
  "The login address {0} is not an https address, so tokens are not sent there.": "Die Adresse {0} der Anmeldung ist keine https-Adresse, darum werden keine Tokens dorthin gesendet.",
  "You would log in at {0}, but what you get there would be sent to {1}, and nothing shows that both are one server. The login is refused.":
    "Die Anmeldung geschähe bei {0}, aber was dort ausgegeben wird, ginge an {1}, und nichts zeigt, dass beide ein Server sind. Die Anmeldung wird abgelehnt.",
  "The server cannot protect the login with PKCE (S256), so the page does not begin it.": "Der Server kann die Anmeldung nicht mit PKCE (S256) schützen, darum beginnt die Seite sie nicht.",
  "There is no description of a login at {0}: it answers with status {1}.": "Unter {0} liegt keine Beschreibung einer Anmeldung: Die Antwort hat den Status {1}.",
  "{0} describes the login of another server (`issuer` differs). The login is refused.": "{0} beschreibt die Anmeldung eines anderen Servers (`issuer` weicht ab). Die Anmeldung wird abgelehnt.",
  "{0} does not say how to log in. Paste a token as a credential instead.": "{0} sagt nicht, wie man sich anmeldet. Stattdessen ein Token in die Zugangsdaten einfügen.",
  "The server does not say that it protects logins with PKCE, which MCP requires. The login is refused.": "Der Server sagt nicht, dass er Anmeldungen mit PKCE schützt, was MCP verlangt. Die Anmeldung wird abgelehnt.",
};
