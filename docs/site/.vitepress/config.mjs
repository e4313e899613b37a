/**
 * The web site of what npm run docs:site has gathered in `pages/`. A link to a page that does not exist
 * fails the build; a link to a source file is shown as text.
 */
import { readdirSync } from 'node:fs'

const root = new URL('../../../', import.meta.url)
const foldersOf = (folder) =>
  readdirSync(new URL(folder, root), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)

const readmes = (folder, names) =>
  names.map((name) => ({ text: name, link: `/${folder}/${name}/` }))
const withReadme = (folder) =>
  foldersOf(folder).filter((name) =>
    readdirSync(new URL(`${folder}/${name}`, root)).includes('README.md'),
  )

export default {
  title: 'Causeway',
  description: 'An instant-payments hub',
  srcDir: 'pages',
  outDir: 'dist',
  cacheDir: '.cache',
  rewrites: (path) => path.replace(/(^|\/)README\.md$/, '$1index.md'),
  markdown: {
    anchor: { slugify: slugOf },
    config: (markdown) => {
      showSourceLinksAsText(markdown)
      drawDiagrams(markdown)
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Architecture', link: '/ARCHITECTURE' },
      { text: 'API for FSPs', link: '/api/fsp' },
      { text: 'API for operators', link: '/api/operator' },
      { text: 'Settings', link: '/docs/settings' },
      { text: 'Changelog', link: '/CHANGELOG' },
    ],
    sidebar: [
      {
        text: 'Hub',
        items: [
          { text: 'Overview', link: '/' },
          { text: 'Architecture', link: '/ARCHITECTURE' },
          { text: 'API for FSPs', link: '/api/fsp' },
          { text: 'API for operators', link: '/api/operator' },
          { text: 'Settings', link: '/docs/settings' },
          { text: 'Events', link: '/libs/events/EVENTS' },
          { text: 'Changelog', link: '/CHANGELOG' },
        ],
      },
      {
        text: 'Operation',
        items: [
          { text: 'Containers', link: '/deploy/' },
          { text: 'Helm chart', link: '/helm/causeway/' },
          { text: 'Sizing', link: '/deploy/SIZING' },
          { text: 'Measurements', link: '/test-e2e/bench/' },
          { text: 'Certification of FSPs', link: '/docs/certification' },
          { text: 'Reports', link: '/docs/reports' },
        ],
      },
      {
        text: 'Security',
        items: [
          { text: 'Report a vulnerability', link: '/SECURITY' },
          { text: 'Threat model', link: '/docs/threat-model' },
          { text: 'Hardening', link: '/docs/hardening' },
          { text: 'Watching', link: '/docs/watching' },
          { text: 'Data of persons', link: '/docs/data-protection' },
          { text: 'Runbooks', link: '/docs/runbooks/' },
          { text: 'Supply chain', link: '/docs/supply-chain' },
        ],
      },
      { text: 'Services', items: readmes('services', withReadme('services')) },
      { text: 'Packages', items: readmes('libs', withReadme('libs')) },
      {
        text: 'Development',
        items: [
          { text: 'Contributing', link: '/CONTRIBUTING' },
          { text: 'Testing', link: '/docs/testing' },
          { text: 'Stories and bench', link: '/test-e2e/' },
          { text: 'Simulation', link: '/test-e2e/simulation/' },
          { text: 'gRPC contracts', link: '/protos/' },
        ],
      },
    ],
  },
}

/** The anchor that GitHub gives to a heading, so that links to headings work in both places. */
function slugOf(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')
}

/** Source files are not part of the site. */
function showSourceLinksAsText(markdown) {
  const isSource = (token) => {
    const href = token.attrGet('href') ?? ''
    return !/^([a-z]+:|#)/.test(href) && !/(^|\/|\.md|README|\.openapi\.json)(#.*)?$/.test(href)
  }
  markdown.core.ruler.push('source-links', (state) => {
    for (const { children } of state.tokens) {
      let isOpen = false
      for (const token of children ?? []) {
        if (token.type === 'link_open' && isSource(token)) isOpen = true
        else if (!(isOpen && token.type === 'link_close')) continue
        if (token.type === 'link_close') isOpen = false
        else token.attrs = [['title', token.attrGet('href')]]
        token.tag = 'span'
      }
    }
  })
}

function drawDiagrams(markdown) {
  const { rules } = markdown.renderer
  const { fence } = rules
  rules.fence = (tokens, index, ...rest) => {
    const { info, content } = tokens[index]
    return info.trim() === 'mermaid'
      ? `<MermaidDiagram code="${encodeURIComponent(content)}" />`
      : fence(tokens, index, ...rest)
  }
}
