import { Alert, Button, Group, Select, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type {
  AccountRole,
  AddMemberRequest,
  MemberAdded,
} from '../../../src/console-api/contract.ts'
import { emailProblem } from '../../../src/console-api/rules.ts'
import { post } from '../api/client.ts'
import { accountQuery } from '../api/queries.ts'
import { CodeBlock } from '../parts/code-block.tsx'
import { tellDone } from '../parts/tell.ts'
import { useErrorText } from '../parts/use-error-text.ts'
import { useRuleText } from '../parts/use-rule-text.ts'
import { roles } from './roles.ts'

export function AddMember({ accountId }: { accountId: string }) {
  const { t } = useTranslation()
  const ruleText = useRuleText()
  const errorText = useErrorText()
  const queries = useQueryClient()
  const [link, setLink] = useState<{ email: string; url: string }>()
  const form = useForm<{ email: string; role: AccountRole }>({
    mode: 'controlled',
    initialValues: { email: '', role: 'member' },
    validate: { email: (email) => ruleText(emailProblem(email.trim())) },
  })
  const add = async ({ email, role }: AddMemberRequest) => {
    try {
      const path = `/accounts/${encodeURIComponent(accountId)}/members`
      const added = await post<MemberAdded>(path, { email: email.trim(), role })
      tellDone(t('members.added', { email: added.member.email }))
      setLink(
        added.signInUrl === null ? undefined : { email: added.member.email, url: added.signInUrl },
      )
      form.reset()
      await queries.invalidateQueries({ queryKey: accountQuery(accountId).queryKey })
    } catch (error) {
      form.setFieldError('email', errorText(error))
    }
  }
  return (
    <Stack gap="sm">
      <form onSubmit={form.onSubmit(add)} noValidate>
        <Group align="flex-start" gap="xs">
          <TextInput
            aria-label={t('members.email')}
            placeholder={t('members.email')}
            type="email"
            style={{ flex: '1 1 220px' }}
            {...form.getInputProps('email')}
          />
          <Select
            aria-label={t('members.role')}
            w={140}
            data={roles.map((role) => ({ value: role, label: t(`members.role.${role}`) }))}
            allowDeselect={false}
            {...form.getInputProps('role')}
          />
          <Button type="submit" loading={form.submitting}>
            {t('members.add')}
          </Button>
        </Group>
      </form>
      {link && (
        <Alert
          color="teal"
          withCloseButton
          onClose={() => setLink(undefined)}
          closeButtonLabel={t('close')}
        >
          <Stack gap="xs">
            {t('members.link', { email: link.email })}
            <CodeBlock text={link.url} />
          </Stack>
        </Alert>
      )}
    </Stack>
  )
}
