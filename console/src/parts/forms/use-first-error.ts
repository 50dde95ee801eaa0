import { type RefObject, useEffect, useRef } from 'react'

/** An input with an error, or the error of several inputs together. */
const wrongInput = '[aria-invalid="true"], [id$="-error"]'

/**
 * After a form was sent in vain, moves to its first error, which may be far from the button. The form is the one around
 * the element of the returned ref; it renders this element again when its errors change.
 */
export function useFirstError<Element extends HTMLElement>(
  isPending: boolean,
): RefObject<Element | null> {
  const inside = useRef<Element>(null)
  const isSent = useRef(false)
  const wasPending = useRef(false)
  useEffect(() => {
    const form = inside.current?.closest('form')
    const onSubmit = () => {
      isSent.current = true
    }
    // An error that appears while a person types is no result of the submit button.
    const onInput = () => {
      isSent.current = false
    }
    form?.addEventListener('submit', onSubmit)
    form?.addEventListener('input', onInput)
    return () => {
      form?.removeEventListener('submit', onSubmit)
      form?.removeEventListener('input', onInput)
    }
  }, [])
  useEffect(() => {
    const isOver = wasPending.current && !isPending
    wasPending.current = isPending
    if (isPending || !isSent.current) return
    const wrong = inside.current?.closest('form')?.querySelector<HTMLElement>(wrongInput)
    if (wrong || isOver) isSent.current = false
    if (!wrong) return
    const input = wrong.matches('input, textarea, button')
      ? wrong
      : wrong.parentElement?.querySelector<HTMLElement>('input, textarea, button')
    input?.focus({ preventScroll: true })
    wrong.scrollIntoView({ block: 'center' })
  })
  return inside
}
