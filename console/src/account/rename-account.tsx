import { Button, Group, Popover, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { accountDefinition } from '../../../src/accounts/definition/account.ts'
import type { AccountDetail } from '../../../src/console-api/contract.ts'
import { findProblem } from '../../../src/fields/find-problem.ts'
import { call } from '../api/client.ts'
import { accountQuery, sessionQuery } from '../api/queries.ts'
import { useUnsaved } from '../parts/dialogs/unsaved.tsx'
import { notifyFailure } from '../parts/feedback/notify.ts'
import { useErrorText } from '../parts/feedback/use-error-text.ts'
import { textLimit } from '../parts/forms/text-limit.ts'
import { useRuleText } from '../parts/forms/use-rule-text.ts'

export function RenameAccount({ account }: { account: AccountDetail }) {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const ruleText = useRuleText()
  const queries = useQueryClient()
  const [isOpen, { open, close }] = useDisclosure()
  const [name, setName] = useState(account.name)
  const [problem, setProblem] = useState<string | null>(null)
  useUnsaved(() => isOpen && name !== account.name)
  const rename = useMutation({
    mutationFn: (next: string) =>
      call('PATCH /accounts/{id}', { params: { id: account.id }, body: { name: next } }),
    onSuccess: async (changed) => {
      queries.setQueryData(accountQuery(account.id).queryKey, changed)
      close()
      await queries.invalidateQueries({ queryKey: sessionQuery.queryKey })
    },
    onError: (error) => notifyFailure(errorText(error)),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const wrong = ruleText(findProblem(accountDefinition.fields.name.kind.wire, name))
    setProblem(wrong)
    if (wrong === null) rename.mutate(name.trim())
  }
  return (
    <Popover
      opened={isOpen}
      onDismiss={close}
      width={320}
      position="bottom-end"
      shadow="md"
      trapFocus
    >
      <Popover.Target>
        <Button size="xs" variant="default" onClick={isOpen ? close : open}>
          {t('members.rename')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <form onSubmit={submit}>
          <Group align="flex-end" wrap="nowrap" gap="xs">
            <TextInput
              label={t('members.name')}
              {...textLimit(accountDefinition.fields.name.kind)}
              value={name}
              error={problem}
              onChange={(event) => setName(event.currentTarget.value)}
              style={{ flex: 1 }}
            />
            <Button type="submit" loading={rename.isPending}>
              {t('save')}
            </Button>
          </Group>
        </form>
      </Popover.Dropdown>
    </Popover>
  )
}
