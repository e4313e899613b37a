/** How the console becomes static files under /console/; nothing is fetched from anywhere else. */
import { defineConfig } from 'vite'

export default defineConfig({
  base: '/console/',
  build: {
    outDir: 'dist/site',
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: { polyfill: false },
    // Everything in files of its own: the page allows nothing inline.
    assetsInlineLimit: 0,
  },
  server: {
    proxy: { '^/(?!console/)': process.env['OPERATOR_URL'] ?? 'http://127.0.0.1:4100' },
  },
})
