import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { KeyEdit, KeyRow } from '../../../src/console-api/contract.ts'
import { call } from '../api/client.ts'
import { notifyFailure, notifySuccess } from '../parts/feedback/notify.ts'
import { useErrorText } from '../parts/feedback/use-error-text.ts'
import { useFreshSignIn } from '../parts/fresh-sign-in/use-fresh-sign-in.tsx'
import { changeKeyInCache, refreshKeys } from './key-cache.ts'

/** Actions on a key. Each change appears at once and is reverted if the back end refuses it. */
export function useKeyActions(row: KeyRow, onValue: (value: string) => void, onGone: () => void) {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const queries = useQueryClient()
  const [runFresh, freshDialog] = useFreshSignIn()
  const onError = (error: unknown) => notifyFailure(errorText(error))
  const onSettled = () => refreshKeys(queries)
  const { id, name } = row
  const edit = useMutation({
    mutationFn: (change: KeyEdit) => call('PATCH /keys/{id}', { params: { id }, body: change }),
    onMutate: (change) =>
      changeKeyInCache(queries, id, (old) => {
        const next = { ...old, ...change }
        return { ...next, state: stateAfter(next) }
      }),
    onError: (_error, _change, undo) => undo?.(),
    onSettled,
  })
  const rotate = useMutation({
    mutationFn: () => runFresh(() => call('POST /keys/{id}/rotate', { params: { id } })),
    onSuccess: (rotated) => {
      if (!rotated) return
      onValue(rotated.value)
      notifySuccess(t('keys.rotated'))
    },
    onError,
    onSettled,
  })
  const convert = useMutation({
    mutationFn: () => runFresh(() => call('POST /keys/{id}/convert', { params: { id } })),
    onSuccess: (converted) => {
      if (!converted) return
      onValue(converted.value)
      notifySuccess(t('keys.converted', { name }))
    },
    onError,
    onSettled,
  })
  const erase = useMutation({
    mutationFn: () => call('DELETE /keys/{id}', { params: { id } }),
    onSuccess: () => {
      notifySuccess(t('keys.deleted', { name }))
      onGone()
    },
    onError,
    onSettled,
  })
  const toggle = () =>
    edit.mutate(
      { isEnabled: !row.isEnabled },
      {
        onSuccess: (changed) =>
          notifySuccess(t(changed.isEnabled ? 'keys.enabled' : 'keys.disabled', { name })),
        onError,
      },
    )
  return { edit, rotate, convert, erase, toggle, freshDialog }
}

/** The expected state until the gateway responds. */
function stateAfter(row: KeyRow): KeyRow['state'] {
  if (row.state === 'stopped') return 'stopped'
  if (!row.isEnabled) return 'disabled'
  if (row.expiresAt !== null && row.expiresAt <= Date.now()) return 'expired'
  const isUsedUp = row.quotaNano !== null && BigInt(row.spentNano) >= BigInt(row.quotaNano)
  return isUsedUp ? 'exhausted' : 'active'
}
