import type { UseFormReturnType } from '@mantine/form'
import { ApiError } from '../../api/client.ts'
import { useUnsaved } from '../../parts/dialogs/unsaved.tsx'
import { useDetailText } from '../../parts/feedback/use-error-text.ts'
import { type ChangeOptions, useChange } from '../use-change.ts'

/**
 * A mutation from a form. An error about a field is shown at that field. `leave` closes the form and asks first if it
 * has unsaved edits.
 */
export function useFormChange<Values extends object, Answer, Wanted>(
  form: UseFormReturnType<Values>,
  change: (wanted: Wanted) => Promise<Answer>,
  options: Omit<ChangeOptions<Answer, Wanted>, 'isQuiet'> = {},
) {
  const detailText = useDetailText()
  const leave = useUnsaved(() => form.isDirty())
  const sending = useChange<Answer, Wanted>(
    async (wanted) => {
      try {
        const answer = await change(wanted)
        form.resetDirty()
        return answer
      } catch (error) {
        if (error instanceof ApiError && error.field !== undefined && error.field in form.values) {
          form.setFieldError(error.field, detailText(error))
        }
        throw error
      }
    },
    { ...options, isQuiet: true },
  )
  return { ...sending, leave }
}
