/** The part of socket.io-client 4.8.4 that the page uses. */
export interface Socket {
  readonly id: string | undefined;
  readonly connected: boolean;
  readonly io: Manager;
  connect(): this;
  disconnect(): this;
  on(event: string, listener: (...received: any[]) => void): this;
  emit(event: string, ...sent: unknown[]): this;
  timeout(milliseconds: number): { emitWithAck(event: string, ...sent: unknown[]): Promise<any> };
}
export interface Manager {
  /** Read anew at each connection. */
  readonly opts: { query?: Record<string, string> };
  on(event: "packet" | "open", listener: () => void): this;
}
export interface SocketOptions {
  path: string;
  transports: string[];
  autoConnect: boolean;
  forceNew: boolean;
  reconnection: boolean;
  auth: (give: (auth: Record<string, unknown>) => void) => void;
}
export function io(url: string, options: SocketOptions): Socket;
