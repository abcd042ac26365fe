import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { SendResult } from 'weave-client'

/** A question before something is done, with the fields that it needs. */
export interface Question {
  readonly title: string
  readonly body?: ComponentChildren
  /** On the button that does it. */
  readonly yes: string
  readonly isGrave?: boolean
  readonly note?: { readonly label: string; readonly isRequired?: boolean }
  readonly option?: { readonly label: string }
  /** Must be typed before it can be done. */
  readonly typed?: string
  readonly act: (given: Given) => Promise<SendResult>
}

export interface Given {
  readonly note: string
  readonly option: boolean
}

const question = signal<Question | undefined>(undefined)

export function askFirst(next: Question): void {
  question.value = next
}

export function isAsking(): boolean {
  return question.peek() !== undefined
}

/** Where questions appear; one on every page. */
export function AskPlace() {
  const asked = question.value
  return asked ? <AskDialog key={asked.title} asked={asked} /> : null
}

function AskDialog({ asked }: { readonly asked: Question }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [note, setNote] = useState('')
  const [option, setOption] = useState(false)
  const [typed, setTyped] = useState('')
  const [pressed, setPressed] = useState(false)
  const [refusal, setRefusal] = useState<string | undefined>(undefined)
  useEffect(() => dialog.current?.showModal(), [])

  const close = (): void => {
    question.value = undefined
  }
  const act = async (event: Event): Promise<void> => {
    event.preventDefault()
    setPressed(true)
    setRefusal(undefined)
    const result = await asked.act({ note, option })
    setPressed(false)
    if (result.ok) close()
    else setRefusal(refusalText(result))
  }
  const isReady =
    (asked.typed === undefined || typed === asked.typed) && (!asked.note?.isRequired || note.trim() !== '')
  return (
    <dialog ref={dialog} class="ask" aria-labelledby="ask-title" onClose={close}>
      <form onSubmit={event => void act(event)}>
        <h2 id="ask-title">{asked.title}</h2>
        {asked.body}
        {asked.note && (
          <label class="field">
            {asked.note.label}
            <textarea rows={2} value={note} onInput={event => setNote(event.currentTarget.value)} />
          </label>
        )}
        {asked.option && (
          <label class="option">
            <input
              type="checkbox"
              checked={option}
              onChange={event => setOption(event.currentTarget.checked)}
            />
            {asked.option.label}
          </label>
        )}
        {asked.typed !== undefined && (
          <label class="field">
            Type {asked.typed} to go on: it runs now and will be stopped.
            <input
              type="text"
              autocomplete="off"
              value={typed}
              onInput={event => setTyped(event.currentTarget.value)}
            />
          </label>
        )}
        {refusal !== undefined && (
          <p class="refusal" role="alert">
            {refusal}
          </p>
        )}
        <div class="buttons">
          <button type="button" class="button" onClick={close}>
            Cancel
          </button>
          <button
            type="submit"
            class="button"
            data-kind={asked.isGrave ? 'grave' : 'main'}
            disabled={!isReady || pressed}
          >
            {pressed ? 'Waiting …' : asked.yes}
          </button>
        </div>
      </form>
    </dialog>
  )
}

export function refusalText({ code, message }: { readonly code: string; readonly message: string }): string {
  return `${code}: ${message}`
}
