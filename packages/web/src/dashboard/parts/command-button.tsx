import { useState } from 'preact/hooks'
import type { SendResult } from 'weave-client'
import { refusalText } from './ask.tsx'

interface CommandButtonProps {
  readonly label: string
  readonly kind?: 'main' | 'grave'
  readonly disabled?: boolean
  readonly title?: string
  readonly act: () => Promise<SendResult>
}

/** A button that waits for the event that answers its command; a refusal stays beside it until the next press. */
export function CommandButton({ label, kind, disabled = false, title, act }: CommandButtonProps) {
  const [pressed, setPressed] = useState(false)
  const [refusal, setRefusal] = useState<string | undefined>(undefined)
  const press = async (): Promise<void> => {
    setPressed(true)
    setRefusal(undefined)
    const result = await act()
    setPressed(false)
    if (!result.ok) setRefusal(refusalText(result))
  }
  return (
    <span class="command">
      <button
        type="button"
        class="button"
        data-kind={kind}
        title={title}
        disabled={disabled || pressed}
        aria-busy={pressed}
        onClick={() => void press()}
      >
        {pressed ? `${label} …` : label}
      </button>
      {refusal !== undefined && (
        <span class="refusal" role="alert">
          {refusal}
        </span>
      )}
    </span>
  )
}
