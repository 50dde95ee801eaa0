import { useMutation } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { BodyOf, PasskeyQuestion, SessionAnswer } from '../../../src/console-api/contract.ts'
import { call } from '../api/client.ts'
import { answerWithPasskey, offerPasskeys, type PasskeyOffer } from '../api/passkeys.ts'

/** A question is replaced after this time. The gateway accepts an answer for five minutes. */
const questionMs = 4 * 60_000

/**
 * Signing in with a passkey: with the button, or with one that the browser offers in the email field. The offer is an
 * extra: while it does not work, nothing is shown and the rest of the page works.
 */
export function usePasskeySignIn({
  isOn,
  onStart,
  onSuccess,
}: {
  readonly isOn: boolean
  readonly onStart: () => void
  readonly onSuccess: (session: SessionAnswer) => Promise<void>
}) {
  const asked = useRef<Promise<PasskeyQuestion> | undefined>(undefined)
  const offer = useRef<PasskeyOffer | undefined>(undefined)
  const [round, setRound] = useState(0)
  /** The button uses the question of the offer. */
  const ask = useCallback(() => {
    asked.current ??= call('POST /sign-in/passkey/start', {})
    asked.current.catch(() => {
      asked.current = undefined
    })
    return asked.current
  }, [])
  const renew = useCallback(() => {
    asked.current = undefined
    setRound((count) => count + 1)
  }, [])
  const { mutate, isPending, error, reset, variables } = useMutation({
    mutationFn: async (offered: BodyOf<'POST /sign-in/passkey'> | undefined) => {
      const body = offered ?? (await answerWithPasskey(await ask()))
      return call('POST /sign-in/passkey', { body })
    },
    onMutate: onStart,
    onSuccess,
    // The gateway accepts an answer to a question once.
    onError: renew,
  })
  // A passkey that was refused is not offered again at once, so that nothing tries again without the person.
  const isRefused = error !== null && variables !== undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round is a new offer.
  useEffect(() => {
    if (!isOn || isPending || isRefused) return
    const made = offerPasskeys(ask, mutate)
    offer.current = made
    const timer = setTimeout(() => {
      if (!document.hidden) renew()
    }, questionMs)
    // Another tab may have asked meanwhile, which ends the question of this one.
    const onShown = () => {
      if (!document.hidden) renew()
    }
    document.addEventListener('visibilitychange', onShown)
    return () => {
      made.stop()
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', onShown)
    }
  }, [isOn, isPending, isRefused, round, ask, mutate, renew])
  const start = () => {
    offer.current?.stop()
    mutate(undefined)
  }
  return { start, isPending, error, reset }
}
