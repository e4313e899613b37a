/** The theme of VitePress, and diagrams: the blocks of Mermaid, drawn in the browser. */
import { useData, withBase } from 'vitepress'
import DefaultTheme from 'vitepress/theme'
import { h, ref, watchEffect } from 'vue'

let drawn = 0

/** `code` is encoded as part of a URL. Until it is drawn, and where it cannot be, it is shown as text. */
const MermaidDiagram = {
  props: ['code'],
  setup(props) {
    const { isDark } = useData()
    const text = decodeURIComponent(props.code)
    const svg = ref('')
    const draw = async (theme) => {
      const address = withBase('/mermaid/mermaid.esm.min.mjs')
      const { default: mermaid } = await import(/* @vite-ignore */ address)
      mermaid.initialize({ startOnLoad: false, theme })
      const picture = await mermaid.render(`diagram-${(drawn += 1)}`, text)
      svg.value = picture.svg
    }
    const drawForTheme = () => void draw(isDark.value ? 'dark' : 'default')
    if (!import.meta.env.SSR) watchEffect(drawForTheme)
    return () => (svg.value === '' ? h('pre', text) : h('div', { innerHTML: svg.value }))
  },
}

export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => app.component('MermaidDiagram', MermaidDiagram),
}
