// @ts-check
/** What `said` says to programs in English, in German by its codes. */

/** @type {Record<string, string>} */
export const GERMAN_SENTENCES = {
  // What a check or a fetch of a document finds
  silent_address: "Die Adresse hat eine Minute lang nicht geantwortet.",
  mcp_moved: "Die Adresse antwortet mit einer Umleitung. Die endgültige Adresse des MCP-Servers eingeben.",
  reachable: "Diese Seite erreicht die API und darf ihre Antworten lesen.",
  mcp_reachable: "Diese Seite erreicht den MCP-Server und listet seine Tools auf.",
  preflight:
    "Diese Seite erreicht die API, aber die API lehnt Anfragen mit JSON-Body oder Schlüssel ab (CORS-Preflight). Ihre CORS-Einstellungen müssen auch die Header content-type und authorization und die Methoden ihrer Operationen zulassen.",
  redirect_unreadable:
    "{origin} leitet diese Anfrage um, und die Antwort am Ende darf diese Seite nicht lesen: vielleicht eine Anmeldeseite oder ein Fehler. Die Adresse in einem Tab öffnen, um zu sehen, wohin sie führt.",
  redirect_circle:
    "{origin} leitet diese Anfrage um und beantwortet sie nie: vermutlich im Kreis. Oft fügt ein Teil der API am Ende des Pfads einen Schrägstrich an, und ein anderer nimmt ihn weg. Die Adresse in einem Tab öffnen und die endgültige Adresse ins Dokument oder in die Basis-URL des Servers eintragen.",
  cors: "{origin} läuft, lässt diese Seite seine Antworten aber nicht lesen (CORS). Die API muss die Herkunft der Bridge-Seite, die Methode und die gesendeten Header zulassen.",
  error_answer:
    "{origin} hat diese Seite schon Antworten lesen lassen (zuletzt {time}), CORS ist dort also eingerichtet. Vermutlich war diese Antwort ein Fehler (4xx oder 5xx) oder eine Umleitung, denen die API keine CORS-Header mitgibt: im Log der API nachsehen.",
  redirect_elsewhere:
    "{origin} leitet auf eine andere Herkunft um, die nicht akzeptiert ist. Die endgültige Adresse in die Basis-URL des Servers eintragen.",
  mixed_content_local:
    "Diese Seite kam über https, und der Browser blockiert die einfache http-Adresse {origin}. Dieser Seite den Zugriff auf das lokale Netzwerk erlauben, für die API https oder ihre IP-Adresse benutzen oder die Seite der Bridge unter http://localhost öffnen.",
  mixed_content:
    "Diese Seite kam über https, und der Browser blockiert die einfache http-Adresse {origin}. Für die API https benutzen oder die Seite der Bridge unter http://localhost öffnen.",
  apps_not_asked:
    "Der Browser lässt diese Seite nicht an Apps auf diesem Gerät. Auf der Seite der Bridge bei diesem Server „Prüfen“ drücken und den Zugriff auf Apps auf diesem Gerät erlauben. Unter http://localhost braucht die Seite keine Erlaubnis.",
  devices_not_asked:
    "Der Browser lässt diese Seite nicht an Geräte im lokalen Netzwerk. Auf der Seite der Bridge bei diesem Server „Prüfen“ drücken und den Zugriff auf Geräte im lokalen Netzwerk erlauben. Unter http://localhost braucht die Seite keine Erlaubnis.",
  apps_denied:
    "Der Browser lässt diese Seite nicht an Apps auf diesem Gerät. In den Website-Einstellungen der Bridge-Seite (Symbol links neben der Adresse) den Zugriff auf Apps auf diesem Gerät erlauben und neu laden. Unter http://localhost braucht die Seite keine Erlaubnis.",
  devices_denied:
    "Der Browser lässt diese Seite nicht an Geräte im lokalen Netzwerk. In den Website-Einstellungen der Bridge-Seite (Symbol links neben der Adresse) den Zugriff auf Geräte im lokalen Netzwerk erlauben und neu laden. Unter http://localhost braucht die Seite keine Erlaubnis.",
  nothing_answers: "Unter {origin} antwortet nichts. Prüfen, ob die API läuft und ob Adresse und Port stimmen.",
  offline: "Dieser Rechner ist offline, darum ist {origin} nicht zu erreichen.",
  stream_of_events: "Die Adresse antwortet mit einem Strom von Ereignissen, nicht mit einem Dokument.",
  document_too_large: "Das Dokument ist größer als 32 MiB.",
  empty_document: "Die Adresse antwortet, aber mit leerem Body.",
  web_page:
    "Unter dieser Adresse liegt eine Webseite, kein OpenAPI-Dokument, und von ihr aus wurde keines gefunden. Dokumentationsseiten verlinken das Dokument meist: nach openapi.json, openapi.yaml, swagger.json oder v3/api-docs suchen.",
  document_login:
    "Die Adresse hat mit HTTP-Status {status} geantwortet. Sie verlangt eine Anmeldung. Das Dokument selbst herunterladen und als Datei hinzufügen.",
  document_refused:
    "Die Adresse hat mit HTTP-Status {status} geantwortet. Sie verweigert den Zugriff. Das Dokument selbst herunterladen und als Datei hinzufügen.",
  no_document: "Die Adresse hat mit HTTP-Status {status} geantwortet. Dort gibt es nichts. Den Pfad prüfen.",
  document_status:
    "Die Adresse hat mit HTTP-Status {status} geantwortet. Später noch einmal versuchen oder das Dokument als Datei hinzufügen.",
  mcp_preflight:
    "Unter dieser Adresse scheint ein MCP-Server zu laufen, aber er lehnt Anfragen dieser Seite ab: Der Browser fragt zuerst (CORS-Preflight), und der Server sagt Nein (oft 405, dann kennt er kein CORS; oder 403, dann lässt er die Herkunft dieser Seite nicht zu).",
  mcp_session:
    "Der MCP-Server hat eine Sitzung begonnen, lässt diese Seite aber seinen Header Mcp-Session-Id nicht lesen, darum sind keine weiteren Anfragen möglich.",
  mcp_login: "Der MCP-Server verlangt eine Anmeldung.",

  // Why a login failed
  expired_token: "Der Code wurde nicht rechtzeitig bestätigt. Noch einmal beginnen.",
  access_denied: "Die Anmeldung wurde dort abgelehnt, vom Server oder von Hand.",
  invalid_client: "Der Server kennt diesen Client nicht. Die Client-ID prüfen, und das Secret, falls es eines gibt.",
  unauthorized_client: "Der Server lässt diesen Client sich so nicht anmelden.",
  invalid_scope: "Der Server erteilt einen der Scopes nicht. Einige abwählen und noch einmal versuchen.",
  invalid_target:
    "Der Server nimmt den Namen der API nicht an. „Dem Autorisierungsserver die API nennen“ abwählen und noch einmal versuchen.",
  invalid_grant: "Der Server nimmt diesen Code oder dieses Token nicht mehr an.",
  invalid_request: "Der Server nimmt die Anfrage nicht an.",
  server_error: "Beim Server ist ein Fehler aufgetreten. Später noch einmal versuchen.",
  temporarily_unavailable: "Der Server ist ausgelastet. Später noch einmal versuchen.",
  iss_missing:
    "Die Antwort sagt nicht, von welchem Server sie kommt, obwohl dieser Server das immer tut (`iss` fehlt). An den Server wurde nichts gesendet. Die Anmeldung wird abgelehnt.",
  iss_differs:
    "Die Antwort kommt von einem anderen Server als dem, zu dem die Anmeldung führte (`iss` weicht ab): Vielleicht vertauscht jemand zwei Server. Ihr Code wurde nicht benutzt. Die Anmeldung wird abgelehnt.",
  state_missing:
    "Die Antwort hat kein `state`, vielleicht gehört sie zu einer anderen Anmeldung. Ihr Code wurde nicht benutzt. Die Anmeldung wird abgelehnt.",
  state_differs:
    "Die Antwort gehört zu einer anderen Anmeldung (`state` weicht ab). Ihr Code wurde nicht benutzt. Die Anmeldung wird abgelehnt.",
  nonce_differs: "Das ID-Token gehört zu einer anderen Anmeldung (`nonce` weicht ab). Die Anmeldung wird abgelehnt.",
  issuer_differs: "Der Server beschreibt sich als ein anderer (`issuer` weicht ab). Die Anmeldung wird abgelehnt.",
  login_unreachable: "Der Server ist nicht zu erreichen oder lässt Webseiten seine Antworten nicht lesen (CORS).",
  login_refused: "Der Server lehnt ab ({error}).",
  login_silent: "Der Server hat nicht rechtzeitig geantwortet.",
  login_answer_unusable: "Die Antwort des Servers ist nicht verwendbar: {why}",
  login_insecure:
    "Die Adresse {url} der Anmeldung ist keine https-Adresse, darum werden keine Tokens dorthin gesendet.",
  two_servers:
    "Die Anmeldung geschähe bei {front}, aber was dort ausgegeben wird, ginge an {other}, und nichts zeigt, dass beide ein Server sind. Die Anmeldung wird abgelehnt.",
  login_without_pkce:
    "Der Server kann die Anmeldung nicht mit PKCE (S256) schützen, darum beginnt die Seite sie nicht.",
  login_undescribed: "Unter {url} liegt keine Beschreibung einer Anmeldung: Die Antwort hat den Status {status}.",
  login_of_another:
    "{url} beschreibt die Anmeldung eines anderen Servers (`issuer` weicht ab). Die Anmeldung wird abgelehnt.",
  login_unknown: "{issuer} sagt nicht, wie man sich anmeldet. Stattdessen ein Token in die Zugangsdaten einfügen.",
  pkce_not_stated:
    "Der Server sagt nicht, dass er Anmeldungen mit PKCE schützt, was MCP verlangt. Die Anmeldung wird abgelehnt.",
};
