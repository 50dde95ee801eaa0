import { Divider, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { expiryProblem, isAddressAllowed } from '../../../src/console-api/contract/rules.ts'
import {
  type KeyOptions,
  type KeyRow,
  type KeySettings,
  priorities,
} from '../../../src/console-api/contract.ts'
import type { Definition } from '../../../src/fields/definition.ts'
import { findProblem } from '../../../src/fields/find-problem.ts'
import { keyDefinition } from '../../../src/keys/definition/key.ts'
import { ApiError } from '../api/client.ts'
import { FormEnd } from '../operator/parts/form-end.tsx'
import { useUnsaved } from '../parts/dialogs/unsaved.tsx'
import { useConfirm } from '../parts/dialogs/use-confirm.tsx'
import { notifyFailure } from '../parts/feedback/notify.ts'
import { useErrorText } from '../parts/feedback/use-error-text.ts'
import { DefinedFields } from '../parts/forms/defined-fields.tsx'
import { Switch, TextInput } from '../parts/forms/inputs.tsx'
import { Select } from '../parts/forms/select.tsx'
import { textLimit } from '../parts/forms/text-limit.ts'
import { otherFields, type Typed, wireOfTyped } from '../parts/forms/typed-fields.ts'
import { useRuleText } from '../parts/forms/use-rule-text.ts'
import { AddressField } from './address-field.tsx'
import { ExpiryField } from './expiry-field.tsx'
import { GroupField } from './group-field.tsx'
import {
  emptyKey,
  expiryOf,
  type KeyFormValues,
  ownFields,
  settingsOf,
  valuesOf,
} from './key-form-values.ts'
import { ModelField } from './model-field.tsx'
import { ModelLimitFields } from './model-limit-fields.tsx'
import { QuotaField } from './quota-field.tsx'

const { fields } = keyDefinition

interface KeyFormProps<Saved> {
  /** Absent for a new key. */
  readonly row?: KeyRow
  readonly options: KeyOptions
  readonly submitLabel: string
  /** Resolves when the key is saved, rejects if the back end refuses it. `shown` is what the form showed at first. */
  readonly onSave: (settings: KeySettings, shown: KeySettings) => Promise<Saved>
  readonly onSaved: (saved: Saved) => void
  readonly onCancel: () => void
  readonly definition?: Definition
  /** Whether the form offers the lock of the settings. */
  readonly mayLock?: boolean
  /** Whether the form offers the priority, which only owners choose. */
  readonly mayRank?: boolean
}

/** The settings of a key, validated by the same rules as in the back end. */
export function KeyForm<Saved>(props: KeyFormProps<Saved>) {
  const { row, options, definition = keyDefinition, mayLock = false, mayRank = false } = props
  const { t } = useTranslation()
  const errorText = useErrorText()
  const [ask, confirmation] = useConfirm()
  const form = useKeyForm(row, options, definition, { mayLock, mayRank })
  const { values } = form
  const { groupMode, group, order } = values
  const leave = useUnsaved(() => form.isDirty())
  const nameField = useRef<HTMLInputElement>(null)
  const isNew = row === undefined
  // The panel mounts first and focuses its own button. A new key needs the focus on its name.
  useEffect(() => {
    if (isNew) nameField.current?.focus()
  }, [isNew])
  const save = async () => {
    try {
      const settings = (of: KeyFormValues) => settingsOf(of, Date.now(), definition)
      const saved = await props.onSave(settings(values), settings(form.getInitialValues()))
      form.resetDirty()
      props.onSaved(saved)
    } catch (error) {
      if (error instanceof ApiError && error.field !== undefined && error.field in values) {
        form.setFieldError(error.field, errorText(error))
      } else notifyFailure(errorText(error))
    }
  }
  const submit = async () => {
    const isLockedOut = values.isFenced && !isAddressAllowed(options.yourAddress, values.addresses)
    if (!isLockedOut) return save()
    const hasNone = values.addresses.length === 0
    ask({
      title: t('keys.form.lockedOutTitle'),
      text: hasNone
        ? t('keys.form.noAddress')
        : t('keys.form.lockedOut', { address: options.yourAddress }),
      action: t('keys.form.lockedOutYes'),
      onYes: () => void save(),
    })
  }
  const textOf = (field: keyof KeyFormValues) => textAt(form.errors, field)
  const chosenGroups = groupMode === 'one' ? [group] : order
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack gap="lg">
        <TextInput
          label={t('keys.name')}
          placeholder={t('keys.nameHint')}
          {...textLimit(keyDefinition.fields.name.kind)}
          ref={nameField}
          {...form.getInputProps('name')}
        />
        <GroupField
          choices={options.groups}
          values={{ groupMode, group, order }}
          onChange={form.setValues}
          error={textOf('order')}
        />
        <Divider />
        <ModelField
          choices={options.models}
          groups={chosenGroups}
          isRestricted={values.isRestricted}
          models={values.models}
          onRestrict={(isRestricted) => form.setValues({ isRestricted })}
          onChange={(models) => form.setValues({ models })}
        />
        <QuotaField
          isLimited={values.isLimited}
          quota={values.quota}
          spentNano={row?.spentNano}
          error={textOf('quota')}
          onLimit={(isLimited) => form.setValues({ isLimited })}
          onChange={(quota) => form.setValues({ quota })}
        />
        <AddressField
          isFenced={values.isFenced}
          addresses={values.addresses}
          yourAddress={options.yourAddress}
          error={textOf('addresses')}
          onFence={(isFenced) => form.setValues({ isFenced })}
          onChange={(addresses) => form.setValues({ addresses })}
        />
        <ExpiryField
          expiry={values.expiry}
          expiresAt={values.expiresAt}
          error={textOf('expiresAt')}
          onChange={form.setValues}
        />
        <DefinedFields
          definition={definition}
          own={ownFields}
          typed={values.others}
          errorOf={(name) => textAt(form.errors, `others.${name}`)}
          onChange={(others) => form.setValues({ others })}
        />
        <ModelLimitFields
          choices={options.models}
          value={values.modelLimits}
          error={textOf('modelLimits')}
          onChange={(modelLimits) => form.setValues({ modelLimits })}
        />
        {mayRank && (
          <Select
            label={t('keys.form.priority')}
            description={t('keys.form.priorityHint')}
            data={[
              { value: '', label: t('keys.form.asGroup') },
              ...priorities.map((value) => ({ value, label: t(`priority.${value}`) })),
            ]}
            allowDeselect={false}
            {...form.getInputProps('priority')}
          />
        )}
        <Divider />
        <Switch
          label={t('keys.form.isEnabled')}
          description={t('keys.form.isEnabledText')}
          {...form.getInputProps('isEnabled', { type: 'checkbox' })}
        />
        {mayLock && (
          <Switch
            label={t('keys.form.isLocked')}
            description={t('keys.form.isLockedText')}
            {...form.getInputProps('isLocked', { type: 'checkbox' })}
          />
        )}
      </Stack>
      {/* A notice reports a refusal that is not about a field. */}
      <FormEnd
        error={null}
        isPending={form.submitting}
        submit={props.submitLabel}
        onCancel={() => leave(props.onCancel)}
      />
      {confirmation}
    </form>
  )
}

function textAt(errors: Readonly<Record<string, unknown>>, path: string): string | undefined {
  const error = errors[path]
  return typeof error === 'string' ? error : undefined
}

function useKeyForm(
  row: KeyRow | undefined,
  options: KeyOptions,
  definition: Definition,
  rights: { readonly mayLock: boolean; readonly mayRank: boolean },
) {
  const ruleText = useRuleText()
  const groups = options.groups.map(({ id }) => id)
  return useForm<KeyFormValues>({
    mode: 'controlled',
    initialValues: row
      ? valuesOf(row, groups, definition, rights)
      : emptyKey(groups, definition, rights.mayRank),
    validateInputOnBlur: ['name', 'quota'],
    validate: {
      name: (name) => ruleText(findProblem(fields.name.kind.wire, name)),
      order: (order, values) =>
        ruleText(
          findProblem(
            fields.groups.kind.wire,
            values.groupMode === 'order' ? order : values.group === '' ? [] : [values.group],
          ),
        ),
      models: (models, values) =>
        values.isRestricted ? ruleText(findProblem(fields.models.kind.wire, models)) : null,
      quota: (quota, values) =>
        values.isLimited ? ruleText(findProblem(fields.quotaNano.kind.written, quota)) : null,
      addresses: (addresses, values) =>
        values.isFenced ? ruleText(findProblem(fields.addresses.kind.wire, addresses)) : null,
      modelLimits: (limits) => ruleText(findProblem(fields.modelLimits.kind.wire, limits)),
      expiresAt: (_text, values) => {
        const at = expiryOf(values, Date.now())
        const isAsBefore = row !== undefined && at !== null && sameMinute(at, row.expiresAt)
        return at === null || isAsBefore ? null : ruleText(expiryProblem(at, Date.now()))
      },
      others: Object.fromEntries(
        otherFields(definition, ownFields).map(([name, field]) => [
          name,
          (typed: Typed) => {
            const read = wireOfTyped(field, typed)
            return 'wrong' in read ? ruleText(read.wrong) : null
          },
        ]),
      ),
    },
  })
}

/** An expired key may be edited without a new expiry. */
function sameMinute(one: number, other: number | null): boolean {
  return other !== null && Math.abs(one - other) < 60_000
}
