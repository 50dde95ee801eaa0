import { Button } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { call } from '../../api/client.ts'
import { useScope } from '../../parts/dialogs/unsaved.tsx'
import { useConfirm } from '../../parts/dialogs/use-confirm.tsx'
import { useLastHolder } from '../../parts/dialogs/use-last-holder.tsx'
import { memoized } from '../../parts/forms/memoized.tsx'
import type { ListName } from '../optimistic-update.ts'
import { useChange } from '../use-change.ts'

export interface DeleteButtonProps {
  readonly name: string
  /** The list and the id of the row to delete. */
  readonly list: Exclude<ListName, 'accounts'>
  readonly id: string
  readonly text: string
  readonly onDeleted: () => void
}

export const DeleteButton = memoized(function DeleteButton({
  name,
  list,
  id,
  text,
  onDeleted,
}: DeleteButtonProps) {
  const { t } = useTranslation()
  const [ask, dialog] = useConfirm()
  const [runForced, forceDialog] = useLastHolder()
  const scope = useScope()
  const params = { id }
  const remove = () =>
    list === 'users'
      ? runForced((query) => call('DELETE /operate/users/{id}', { params, query }))
      : call(`DELETE /operate/${list}/{id}`, { params })
  const erase = useChange(remove, {
    optimistic: (update) => update.remove(list, id),
    done: t('operate.deleted', { name }),
    onDone: () => {
      scope.drop()
      onDeleted()
    },
  })
  return (
    <>
      <Button
        variant="subtle"
        color="red"
        loading={erase.isPending}
        onClick={() =>
          ask({
            title: t('operate.deleteTitle', { name }),
            text,
            action: t('operate.delete'),
            onYes: () => erase.mutate(),
          })
        }
      >
        {t('operate.delete')}
      </Button>
      {dialog}
      {forceDialog}
    </>
  )
})
