import { Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { userDefinition } from '../../../../src/accounts/definition/user.ts'
import type {
  CreateUserRequest,
  Role,
  UserEdit,
  UserRow,
  UserWithLink,
} from '../../../../src/console-api/contract.ts'
import { findProblem } from '../../../../src/fields/find-problem.ts'
import { call } from '../../api/client.ts'
import { sessionQuery } from '../../api/queries.ts'
import { useLastHolder } from '../../parts/dialogs/use-last-holder.tsx'
import { changedMembers } from '../../parts/forms/changed-members.ts'
import { Switch, TextInput } from '../../parts/forms/inputs.tsx'
import { RadioField } from '../../parts/forms/radio-field.tsx'
import { useRuleText } from '../../parts/forms/use-rule-text.ts'
import { useFreshSignIn } from '../../parts/fresh-sign-in/use-fresh-sign-in.tsx'
import { EntryFormEnd } from '../parts/form-end.tsx'
import { useFormChange } from '../parts/use-form-change.ts'
import { MembershipFields, type Memberships } from './membership-fields.tsx'

interface UserValues {
  email: string
  role: Role
  isSuspended: boolean
  accounts: Memberships
}

interface UserFormProps {
  /** Undefined for a new entry. */
  readonly user: UserRow | undefined
  /** A new user gets a sign-in link. */
  readonly onSaved: (answer: UserWithLink | UserRow) => void
  readonly onClose: () => void
}

export function UserForm({ user, onSaved, onClose }: UserFormProps) {
  const { t } = useTranslation()
  const ruleText = useRuleText()
  const [runFresh, freshDialog] = useFreshSignIn()
  const [runForced, forceDialog] = useLastHolder()
  const isSelf = useQuery(sessionQuery).data?.user?.id === user?.id && user !== undefined
  const form = useForm<UserValues>({
    initialValues: {
      email: user?.email ?? '',
      role: user?.role ?? 'member',
      isSuspended: user?.isSuspended ?? false,
      accounts: user?.accounts ?? [],
    },
    validate: {
      email: (email) => ruleText(findProblem(userDefinition.fields.email.kind.wire, email)),
    },
  })
  const save = useFormChange<UserValues, UserWithLink | UserRow, UserValues>(
    form,
    async (values) => {
      const accounts = values.accounts.map(({ id, role }) => ({ id, role }))
      if (user === undefined) {
        const body: CreateUserRequest = { email: values.email, role: values.role, accounts }
        const create = () => call('POST /operate/users', { body })
        return (await runFresh(create)) ?? create()
      }
      const settingsOf = ({ role, isSuspended, accounts: chosen }: UserValues) => ({
        ...(isSelf ? {} : { role, isSuspended }),
        accounts: chosen.map((each) => ({ id: each.id, role: each.role })),
      })
      const shown = settingsOf(form.getInitialValues())
      const edit: UserEdit = changedMembers(settingsOf(values), shown)
      const params = { id: user.id }
      const change = () =>
        runForced((query) => call('PATCH /operate/users/{id}', { params, query, body: edit }))
      return (await runFresh(change)) ?? change()
    },
    {
      done: t('operate.saved'),
      onDone: onSaved,
      optimistic: (update, { role, isSuspended, accounts }) =>
        user && update.change('users', user.id, { role, isSuspended, accounts }),
    },
  )
  return (
    <>
      <form onSubmit={form.onSubmit((values) => save.mutate(values), save.reset)} noValidate>
        <Stack>
          {user === undefined && (
            <TextInput
              label={t('people.email')}
              type="email"
              autoComplete="off"
              data-autofocus
              {...form.getInputProps('email')}
            />
          )}
          <RadioField
            label={t('people.userRole')}
            {...(isSelf && { description: t('people.notYourself') })}
            {...form.getInputProps('role')}
            choices={[
              {
                value: 'member',
                disabled: isSelf,
                label: t('user.member'),
                description: t('people.memberHint'),
              },
              {
                value: 'admin',
                disabled: isSelf,
                label: t('user.admin'),
                description: t('people.adminHint'),
              },
            ]}
          />
          {user !== undefined && !isSelf && (
            <Switch
              color="red"
              label={t('people.suspendUser')}
              description={t('people.suspendUserHint')}
              {...form.getInputProps('isSuspended', { type: 'checkbox' })}
            />
          )}
          <MembershipFields
            value={form.values.accounts}
            onChange={(accounts) => form.setFieldValue('accounts', accounts)}
          />
          <EntryFormEnd
            save={save}
            isNew={user === undefined}
            create={t('people.createUser')}
            deletion={
              user && !isSelf
                ? { name: user.email, list: 'users', id: user.id, text: t('people.deleteUserText') }
                : undefined
            }
            onClose={onClose}
          />
        </Stack>
      </form>
      {freshDialog}
      {forceDialog}
    </>
  )
}
