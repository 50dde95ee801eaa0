import { useEffect, useRef, useState } from 'react'
import type { KeyRow } from '../../../src/console-api/contract.ts'
import { ApiError, call } from '../api/client.ts'
import { useErrorText } from '../parts/feedback/use-error-text.ts'

interface Revealed {
  /** Absent while it is hidden. */
  readonly value: string | undefined
  readonly isLoading: boolean
  /** The sign-in is too old: the panel asks for a proof of identity, then calls `show` again. */
  readonly needsProof: boolean
  /** Why the value cannot be shown. */
  readonly problem: string | undefined
  show(): Promise<void>
  hide(): void
  take(value: string): void
}

/** The value of a key whose panel is open: shown at once when the user may see it. */
export function useRevealed(
  { id, hint }: KeyRow,
  mayShow: boolean,
  newValue: string | undefined,
): Revealed {
  const errorText = useErrorText()
  const [value, setValue] = useState(newValue)
  const [isLoading, setLoading] = useState(false)
  const [needsProof, setNeedsProof] = useState(false)
  const [problem, setProblem] = useState<string>()
  /** The value is asked for once for each opened panel, because the audit log gets a row each time. */
  const isOpened = useRef(false)
  const show = async () => {
    setLoading(true)
    setProblem(undefined)
    try {
      const revealed = await call('POST /keys/{id}/reveal', { params: { id } })
      setNeedsProof(false)
      setValue(revealed.value)
    } catch (error) {
      const isStale = error instanceof ApiError && error.code === 'reauthenticate'
      setNeedsProof(isStale)
      if (!isStale) setProblem(errorText(error))
    } finally {
      setLoading(false)
    }
  }
  useEffect(() => {
    if (isOpened.current || !mayShow || newValue !== undefined || hint === '') return
    isOpened.current = true
    void show()
  })
  return {
    value,
    isLoading,
    needsProof,
    problem,
    show,
    hide: () => setValue(undefined),
    take: (next) => {
      isOpened.current = true
      setProblem(undefined)
      setNeedsProof(false)
      setValue(next)
    },
  }
}
