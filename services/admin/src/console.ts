/** Serves the console as static files. Its page may load and run only files from here. */
import express, { type RequestHandler, type Router } from 'express'
import type { ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const packageFile = createRequire(import.meta.url).resolve('@causeway/console/package.json')
const site = join(dirname(packageFile), 'dist/site')

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const harden: RequestHandler = (_request, response, next) => {
  response.setHeader('content-security-policy', policy)
  response.setHeader('x-content-type-options', 'nosniff')
  response.setHeader('referrer-policy', 'no-referrer')
  next()
}

/** The page itself is never cached: it names the assets. */
function askAgain(response: ServerResponse): void {
  response.setHeader('cache-control', 'no-cache')
}

/** @param folder the output of `npm run build` */
export function consoleFiles(folder: string = site): Router {
  const router = express.Router()
  router.use(harden)
  // The name of an asset is a hash of its content.
  router.use('/assets', express.static(`${folder}/assets`, { immutable: true, maxAge: '1y' }))
  router.use(express.static(folder, { setHeaders: askAgain, dotfiles: 'ignore' }))
  return router
}
