import { useMutation } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { BodyOf, PasskeyQuestion, SessionAnswer } from '../../../src/console-api/contract.ts'
import { call } from '../api/client.ts'
import { answerWithPasskey, offerPasskeys, type PasskeyOffer } from '../api/passkeys.ts'

/**
 * A question (the challenge for a passkey) is replaced after this time. The gateway accepts its answer for five
 * minutes.
 */
const questionMs = 4 * 60_000

/**
 * Signs in with a passkey: after a click on the button, or when the person picks a passkey that the browser offers in
 * the email field. If the offer fails, no error is shown, and the rest of the page works.
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
  // After a refusal no passkey is offered, so that the browser does not try again without the person.
  const isRefused = error !== null && variables !== undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round is a new offer.
  useEffect(() => {
    if (!isOn || isPending || isRefused) return
    const made = offerPasskeys(ask, mutate)
    offer.current = made
    const timer = setTimeout(() => {
      if (!document.hidden) renew()
    }, questionMs)
    // Another tab may have asked meanwhile, which makes the question of this tab invalid.
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
