import { Button, Group, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { memberDefinition } from '../../../src/accounts/definition/member.ts'
import type { AccountMember } from '../../../src/console-api/contract.ts'
import { call } from '../api/client.ts'
import { accountQuery } from '../api/queries.ts'
import { Dialog } from '../parts/dialogs/dialog.tsx'
import { useUnsaved } from '../parts/dialogs/unsaved.tsx'
import { notifyFailure, notifySuccess } from '../parts/feedback/notify.ts'
import { useErrorText } from '../parts/feedback/use-error-text.ts'
import { changedMembers } from '../parts/forms/changed-members.ts'
import { DefinedFields } from '../parts/forms/defined-fields.tsx'
import { otherFields, typedOf, wireOfFields, wireOfTyped } from '../parts/forms/typed-fields.ts'
import { useFirstError } from '../parts/forms/use-first-error.ts'
import { useRuleText } from '../parts/forms/use-rule-text.ts'

/** The list of members has editors of its own for these fields. */
const own = ['email', 'role'] as const

interface MemberLimitsProps {
  readonly accountId: string
  readonly member: AccountMember
}

/** Opens the budgets and rate limits of a member. */
export function MemberLimits({ accountId, member }: MemberLimitsProps) {
  const { t } = useTranslation()
  const [isOpen, { open, close }] = useDisclosure()
  return (
    <>
      <Button
        size="xs"
        variant="default"
        aria-label={t('error.inField', { field: t('members.limits'), message: member.email })}
        onClick={open}
      >
        {t('members.limits')}
      </Button>
      <Dialog
        isOpen={isOpen}
        onClose={close}
        title={t('members.limitsTitle', { email: member.email })}
        size="lg"
      >
        <LimitsForm accountId={accountId} member={member} onDone={close} />
      </Dialog>
    </>
  )
}

function LimitsForm({ accountId, member, onDone }: MemberLimitsProps & { onDone: () => void }) {
  const { t } = useTranslation()
  const ruleText = useRuleText()
  const errorText = useErrorText()
  const queries = useQueryClient()
  const [initial] = useState(() => typedOf(memberDefinition, own, { ...member }))
  const [typed, setTyped] = useState(initial)
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({})
  const leave = useUnsaved(() => Object.keys(initial).some((name) => typed[name] !== initial[name]))
  const save = useMutation({
    mutationFn: () =>
      call('PATCH /accounts/{id}/members', {
        params: { id: accountId },
        query: { user: member.userId },
        body: changedMembers(
          wireOfFields(memberDefinition, own, typed),
          wireOfFields(memberDefinition, own, initial),
        ),
      }),
    onSuccess: async () => {
      notifySuccess(t('members.limitsSaved', { email: member.email }))
      onDone()
      await queries.invalidateQueries({ queryKey: accountQuery(accountId).queryKey })
    },
    onError: (error) => notifyFailure(errorText(error)),
  })
  const inside = useFirstError<HTMLDivElement>(save.isPending)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const found = otherFields(memberDefinition, own).flatMap(([name, field]) => {
      const read = wireOfTyped(field, typed[name] ?? '')
      return 'wrong' in read ? [[name, ruleText(read.wrong) ?? ''] as const] : []
    })
    setProblems(Object.fromEntries(found))
    if (found.length === 0) save.mutate()
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <DefinedFields
          definition={memberDefinition}
          own={own}
          typed={typed}
          errorOf={(name) => problems[name]}
          onChange={(next) => {
            setTyped(next)
            setProblems({})
          }}
        />
        <Group ref={inside} justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => leave(onDone)}>
            {t('cancel')}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {t('save')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
