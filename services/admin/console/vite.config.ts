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
    // The hub as `npm start` starts it.
    proxy: { '^/(?!console/)': 'http://127.0.0.1:4100' },
  },
})
