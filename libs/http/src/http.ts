/** How the services of a process reach others over HTTP, and are reached: one object, which the process passes to them. */
import { createHttpClient, type HttpClient, type HttpClientOptions } from './client.ts'
import { serveHttp, type HttpServer, type HttpServerOptions } from './server.ts'

export interface Http {
  /** Throws StartError when the port is in use or may not be listened on. */
  serve(options: HttpServerOptions): Promise<HttpServer>
  client(options: HttpClientOptions): HttpClient
}

export const overNetwork: Http = { serve: serveHttp, client: createHttpClient }
