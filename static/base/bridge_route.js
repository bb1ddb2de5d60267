// @ts-check
/** Where one of several replicas passes a request on to that carries no token. Pure. */

/**
 * @param {string} path
 * @param {string} route the session's routing value; empty: there is one replica, and the address stays as it is
 * @returns {string}
 */
export function addRoute(path, route) {
  return route === "" ? path : `${path}?route=${encodeURIComponent(route)}`;
}
