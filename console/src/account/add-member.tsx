import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { memberDefinition } from '../../../src/accounts/definition/member.ts'
import type { AccountRole, AddMemberRequest } from '../../../src/console-api/contract.ts'
import { findProblem } from '../../../src/fields/find-problem.ts'
import { useUnsaved } from '../parts/dialogs/unsaved.tsx'
import { useErrorText } from '../parts/feedback/use-error-text.ts'
import { TextInput } from '../parts/forms/inputs.tsx'
import { Select } from '../parts/forms/select.tsx'
import { useRuleText } from '../parts/forms/use-rule-text.ts'
import { CodeBlock } from '../parts/values/code-block.tsx'
import { roles } from './roles.ts'
import type { AddingMember } from './use-add-member.tsx'

/** The link cannot be shown again, so it must not appear outside the window. */
function showLink(alert: HTMLElement | null): void {
  alert?.scrollIntoView({ block: 'nearest' })
}

export function AddMember({ adding }: { adding: AddingMember }) {
  const { t } = useTranslation()
  const ruleText = useRuleText()
  const errorText = useErrorText()
  const { link } = adding
  const form = useForm<{ email: string; role: AccountRole }>({
    mode: 'controlled',
    initialValues: { email: '', role: 'member' },
    validate: {
      email: (email) => ruleText(findProblem(memberDefinition.fields.email.kind.wire, email)),
    },
  })
  useUnsaved(() => form.isDirty())
  const add = async ({ email, role }: AddMemberRequest) => {
    try {
      if (await adding.add({ email: email.trim(), role })) form.reset()
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
          key={link.url}
          ref={showLink}
          color="teal"
          withCloseButton
          onClose={adding.forgetLink}
          closeButtonLabel={t('close')}
        >
          <Stack gap="xs">
            {link.isInvitation
              ? t('members.invitationLink', { email: link.email })
              : t('members.link', { email: link.email })}
            {link.isMailed && <Text size="sm">{t('members.mailed')}</Text>}
            <CodeBlock text={link.url} />
          </Stack>
        </Alert>
      )}
    </Stack>
  )
}
