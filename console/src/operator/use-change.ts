import { useMutation, useQueryClient } from '@tanstack/react-query'
import { notifyFailure, notifySuccess } from '../parts/feedback/notify.ts'
import { useErrorText } from '../parts/feedback/use-error-text.ts'
import { operatorKey } from './operator-queries.ts'
import { type OptimisticUpdate, optimisticUpdate } from './optimistic-update.ts'

export interface ChangeOptions<Answer, Wanted> {
  /** Success message. It gets the request, because the page already shows the changed data. */
  readonly done?: string | ((wanted: Wanted) => string)
  readonly onDone?: (answer: Answer) => void
  /** True for a form that shows the error itself. */
  readonly isQuiet?: boolean
  /** Optimistic update. It is rolled back if the change is refused. */
  readonly optimistic?: (update: OptimisticUpdate, wanted: Wanted) => void
}

/** A mutation by an operator. It invalidates all operator queries, because they depend on each other. */
export function useChange<Answer, Wanted = void>(
  change: (wanted: Wanted) => Promise<Answer>,
  options: ChangeOptions<Answer, Wanted> = {},
) {
  const queries = useQueryClient()
  const errorText = useErrorText()
  const refresh = async () => {
    // Only the last of several pending mutations refetches. Earlier responses would lack the later changes.
    const isLast = queries.isMutating({ mutationKey: operatorKey }) === 1
    if (isLast) await queries.invalidateQueries({ queryKey: operatorKey })
  }
  return useMutation({
    mutationKey: operatorKey,
    mutationFn: change,
    onMutate: (wanted) => {
      if (!options.optimistic) return undefined
      // Cancel pending queries: their responses predate the change and would undo the optimistic update.
      void queries.cancelQueries({ queryKey: operatorKey })
      const update = optimisticUpdate(queries)
      options.optimistic(update, wanted)
      return update
    },
    onSuccess: async (answer, wanted) => {
      const { done } = options
      if (done !== undefined) notifySuccess(typeof done === 'string' ? done : done(wanted))
      options.onDone?.(answer)
      await refresh()
    },
    onError: async (error, _wanted, update) => {
      update?.undo()
      if (!options.isQuiet) notifyFailure(errorText(error))
      if (update) await refresh()
    },
  })
}
