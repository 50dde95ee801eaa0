import {
  Alert,
  Checkbox,
  type CheckboxGroupProps,
  Input,
  SegmentedControl as PlainSegmentedControl,
  TagsInput as PlainTagsInput,
  Stack,
  Text,
} from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type AlertKind, alertDefinition } from '../../../src/alerts/definition/alert.ts'
import type { AlertRow } from '../../../src/console-api/contract.ts'
import { channels } from '../../../src/console-api/contract.ts'
import { ApiError, call } from '../api/client.ts'
import { alertsKey, sessionQuery } from '../api/queries.ts'
import { languages } from '../i18n/start-i18n.ts'
import { FormEnd } from '../operator/parts/form-end.tsx'
import { useUnsaved } from '../parts/dialogs/unsaved.tsx'
import { notifySuccess } from '../parts/feedback/notify.ts'
import { useDetailText } from '../parts/feedback/use-error-text.ts'
import { changedMembers } from '../parts/forms/changed-members.ts'
import { NumberInput, Switch, TextInput } from '../parts/forms/inputs.tsx'
import { memoized } from '../parts/forms/memoized.tsx'
import { numberLimits } from '../parts/forms/number-limits.ts'
import { SecretInput } from '../parts/forms/secret-input.tsx'
import { Select } from '../parts/forms/select.tsx'
import { textLimit } from '../parts/forms/text-limit.ts'
import { useFieldRules } from '../parts/forms/use-field-rules.ts'
import { ReachField } from '../tokens/reach-field.tsx'
import {
  type AlertFormValues,
  alertValuesOf,
  chosenKinds,
  editOf,
  newAlertValues,
  offeredKinds,
  requestOf,
} from './alert-values.ts'

const { fields } = alertDefinition
const SegmentedControl = memoized(PlainSegmentedControl)
const TagsInput = memoized(PlainTagsInput)

interface AlertFormProps {
  /** Absent: a new alert. */
  readonly row?: AlertRow
  /** The selected account. */
  readonly account: string | undefined
  readonly onDone: () => void
  readonly onCancel: () => void
  /** Above the fields: what depends on whether the alert is saved as shown. */
  readonly top?: (isChanged: boolean) => ReactNode
  readonly children?: ReactNode
}

/** Form of an alert. The URL and the secret of a webhook are never shown, only replaced. */
export function AlertForm({ row, account, onDone, onCancel, top, children }: AlertFormProps) {
  const { t, i18n } = useTranslation()
  const language = i18n.language === 'zh' ? 'zh' : 'en'
  const detailText = useDetailText()
  const queries = useQueryClient()
  const [refused, setRefused] = useState<Error | null>(null)
  const { isOperator, accounts, email, hasMail } = useOwned(account)
  const first = isOperator && account === undefined ? null : (account ?? accounts[0]?.id ?? null)
  const fresh = newAlertValues(first, { recipient: email, hasMail, language })
  const form = useAlertForm(row ? alertValuesOf(row) : fresh, row)
  const { values } = form
  const leave = useUnsaved(() => form.isDirty())
  const submit = async () => {
    setRefused(null)
    try {
      const shown = editOf(form.getInitialValues())
      const body = changedMembers(editOf(values), shown)
      if (row) await call('PATCH /alerts/{id}', { params: { id: row.id }, body })
      else await call('POST /alerts', { body: requestOf(values) })
      form.resetDirty()
      notifySuccess(t('alerts.saved', { name: values.name.trim() }))
      onDone()
      await queries.invalidateQueries({ queryKey: alertsKey })
    } catch (error) {
      if (!(error instanceof Error)) throw error
      setRefused(error)
      if (error instanceof ApiError && error.field !== undefined && error.field in values)
        form.setFieldError(error.field, detailText(error))
    }
  }
  return (
    <form onSubmit={form.onSubmit(submit, () => setRefused(null))} noValidate>
      {top?.(form.isDirty())}
      <Stack gap="lg">
        <TextInput
          label={t('alerts.name')}
          placeholder={t('alerts.nameHint')}
          {...textLimit(fields.name.kind)}
          data-autofocus
          {...form.getInputProps('name')}
        />
        {!row && (
          <ReachField
            isOperator={isOperator}
            accounts={accounts}
            reach={values.reach}
            accountId={values.accountId}
            error={errorOf(form.errors['accountId'])}
            onChange={form.setValues}
          />
        )}
        <ChannelFields form={form} row={row} hasMail={hasMail} />
        <LanguageField form={form} />
        <KindFields form={form} />
        <Switch
          label={t('alerts.enabled')}
          {...form.getInputProps('isEnabled', { type: 'checkbox' })}
        />
      </Stack>
      <FormEnd
        error={refused}
        isPending={form.submitting}
        submit={row ? t('operate.save') : t('alerts.create')}
        onCancel={() => leave(onCancel)}
      >
        {children}
      </FormEnd>
    </form>
  )
}

type Form = ReturnType<typeof useAlertForm>

function errorOf(error: ReactNode): string | undefined {
  return typeof error === 'string' ? error : undefined
}

/** The destination of the alert. The channel of an existing alert is fixed. */
function ChannelFields(props: { form: Form; row: AlertRow | undefined; hasMail: boolean }) {
  const { form, row, hasMail } = props
  const { t } = useTranslation()
  const { channel } = form.values
  const isNew = row === undefined
  return (
    <>
      {isNew && (
        <Input.Wrapper label={t('alerts.channel')} labelElement="div">
          <SegmentedControl
            aria-label={t('alerts.channel')}
            fullWidth
            mt={6}
            data={channels.map((each) => ({
              value: each,
              label: t(`alerts.channel.${each}`),
            }))}
            {...form.getInputProps('channel')}
          />
        </Input.Wrapper>
      )}
      {channel === 'email' && !hasMail && <Alert color="orange">{t('alerts.noMail')}</Alert>}
      {channel === 'email' && (
        <TagsInput
          label={t('alerts.emails')}
          description={t('alerts.emailsText')}
          {...form.getInputProps('emails')}
        />
      )}
      {channel !== 'email' && (
        <TextInput
          label={t('alerts.url')}
          description={t('alerts.urlText')}
          {...(row && { placeholder: t('alerts.unchangedUrl', { host: row.urlHost }) })}
          {...form.getInputProps('url')}
        />
      )}
      {channel === 'webhook' && (
        <SecretInput
          label={t('alerts.secret')}
          description={t('alerts.secretText')}
          autoComplete="off"
          {...(row && { placeholder: t('alerts.unchanged') })}
          {...form.getInputProps('secret')}
        />
      )}
    </>
  )
}

/** A user gets emails in their own language, so this language is for all other recipients. */
function LanguageField({ form }: { form: Form }) {
  const { t } = useTranslation()
  const isEmail = form.values.channel === 'email'
  return (
    <Select
      allowDeselect={false}
      label={t('alerts.language')}
      description={isEmail ? t('alerts.languageText') : undefined}
      data={Object.entries(languages).map(([value, label]) => ({ value, label }))}
      {...form.getInputProps('language')}
    />
  )
}

/** The conditions to report, with the threshold of each kind. */
function KindFields({ form }: { form: Form }) {
  const { t } = useTranslation()
  const { kinds, reach } = form.values
  return (
    <>
      <KindChoice
        label={t('alerts.kinds')}
        offered={offeredKinds(reach)}
        {...form.getInputProps('kinds')}
      />
      {kinds.includes('budget_low') && (
        <Text size="xs" c="dimmed">
          {t('alerts.budgetText')}
        </Text>
      )}
      {kinds.includes('credit_low') && (
        <TextInput
          label={t('alerts.creditBelow')}
          leftSection="$"
          {...form.getInputProps('creditBelowNano')}
        />
      )}
      {kinds.includes('key_expiring') && (
        <NumberInput
          label={t('alerts.keyExpiryDays')}
          {...numberLimits(fields.keyExpiryDays.kind)}
          allowDecimal={false}
          {...form.getInputProps('keyExpiryDays')}
        />
      )}
      {kinds.includes('spend_unusual') && (
        <>
          <NumberInput
            label={t('alerts.spendFactor')}
            description={t('alerts.spendFactorText')}
            {...numberLimits(fields.spendFactor.kind)}
            allowDecimal={false}
            {...form.getInputProps('spendFactor')}
          />
          <TextInput
            label={t('alerts.spendFloor')}
            leftSection="$"
            {...form.getInputProps('spendFloorNano')}
          />
        </>
      )}
    </>
  )
}

interface KindChoiceProps extends Omit<CheckboxGroupProps, 'children'> {
  readonly offered: readonly AlertKind[]
}

const KindChoice = memoized(function KindChoice({ offered, ...props }: KindChoiceProps) {
  const { t } = useTranslation()
  return (
    <Checkbox.Group {...props}>
      <Stack gap="xs" mt="xs" mb="xs">
        {offered.map((kind) => (
          <Checkbox key={kind} value={kind} label={t(`alerts.kind.${kind}`)} />
        ))}
      </Stack>
    </Checkbox.Group>
  )
})

function useOwned(account: string | undefined) {
  const session = useQuery(sessionQuery).data
  const isOperator = session?.user?.role === 'admin'
  const owned = (session?.accounts ?? []).filter(({ role }) => role === 'owner')
  const chosen = owned.filter(({ id }) => account === undefined || isOperator || id === account)
  // An administrator is often not a member of the account, so the address is offered only where it is accepted.
  const email = isOperator && account !== undefined ? undefined : session?.user?.email
  return { isOperator, accounts: chosen, email, hasMail: session?.hasMail !== false }
}

function useAlertForm(initialValues: AlertFormValues, row: AlertRow | undefined) {
  const { t } = useTranslation()
  const rules = useFieldRules()
  const kept = (rule: (value: unknown) => string | null) =>
    row === undefined ? rule : rules.ifAny(rule)
  return useForm<AlertFormValues>({
    mode: 'controlled',
    initialValues,
    validate: {
      name: rules.wire(fields.name.kind),
      accountId: (id, { reach }) =>
        reach === 'account' && id === null ? t('account.choose') : null,
      emails: (emails, { channel }) => {
        if (channel !== 'email') return null
        return emails.length === 0 ? t('alerts.noEmail') : rules.wire(fields.emails.kind)(emails)
      },
      url: (url, { channel }) =>
        channel === 'email' ? null : kept(rules.wire(fields.url.kind))(url.trim()),
      secret: (secret, { channel }) =>
        channel === 'webhook' ? kept(rules.wire(fields.secret.kind))(secret) : null,
      kinds: (_kinds, values) => rules.wire(fields.kinds.kind)(chosenKinds(values)),
      creditBelowNano: rules.written(fields.creditBelowNano.kind),
      keyExpiryDays: rules.wire(fields.keyExpiryDays.kind),
      spendFactor: rules.wire(fields.spendFactor.kind),
      spendFloorNano: rules.written(fields.spendFloorNano.kind),
    },
  })
}
