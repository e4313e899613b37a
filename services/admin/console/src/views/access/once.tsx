/** A value that is shown only once, with a button to copy it. */
import { useState } from 'react'

export function Once({ label, text }: { label: string; text: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
  }
  return (
    <figure className="once">
      <figcaption>{label}</figcaption>
      <pre tabIndex={0} aria-label={label}>
        {text}
      </pre>
      {/* Browsers permit access to the clipboard only in a secure context. */}
      {window.isSecureContext && (
        <button type="button" onClick={() => void copy()}>
          {isCopied ? 'Copied' : `Copy ${label.toLowerCase()}`}
        </button>
      )}
    </figure>
  )
}
