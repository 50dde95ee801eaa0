import { Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { groupDefinition } from '../../../../src/catalog/definition/group.ts'
import {
  type GroupGrant,
  type GroupRow,
  type GroupSettings,
  type Priority,
  priorities,
} from '../../../../src/console-api/contract.ts'
import { writtenToWire } from '../../../../src/fields/written-to-wire.ts'
import { call } from '../../api/client.ts'
import { changedMembers } from '../../parts/forms/changed-members.ts'
import { TextInput } from '../../parts/forms/inputs.tsx'
import {
  type LimitEntries,
  LimitInputs,
  limitEntries,
  limitsOfEntries,
} from '../../parts/forms/limit-inputs.tsx'
import { RadioField } from '../../parts/forms/radio-field.tsx'
import { Select } from '../../parts/forms/select.tsx'
import { useFieldRules } from '../../parts/forms/use-field-rules.ts'
import { EntryFormEnd } from '../parts/form-end.tsx'
import { useFormChange } from '../parts/use-form-change.ts'
import { FallbackFields } from './fallback-fields.tsx'
import { GrantFields } from './grant-fields.tsx'

const { fields } = groupDefinition

interface GroupValues extends LimitEntries {
  id: string
  factor: string
  unsupported: GroupRow['unsupported']
  unpricedFeatures: GroupRow['unpricedFeatures']
  sharedObjects: GroupRow['sharedObjects']
  priority: Priority
  grants: readonly GroupGrant[] | null
  fallbacks: Readonly<Record<string, readonly string[]>>
}

interface GroupFormProps {
  /** Undefined for a new entry. */
  readonly group: GroupRow | undefined
  readonly onClose: () => void
}

export function GroupForm({ group, onClose }: GroupFormProps) {
  const { t } = useTranslation()
  const rules = useFieldRules()
  const form = useForm<GroupValues>({
    initialValues: {
      id: group?.id ?? '',
      factor: group?.factor ?? '1',
      unsupported: group?.unsupported ?? 'drop',
      unpricedFeatures: group?.unpricedFeatures ?? 'refuse',
      sharedObjects: group?.sharedObjects ?? 'refuse',
      priority: group?.priority ?? 'normal',
      grants: group?.grants ?? null,
      fallbacks: group?.fallbacks ?? {},
      ...limitEntries(group),
    },
    validateInputOnBlur: true,
    validate: {
      id: rules.wire(fields.id.kind),
      factor: rules.written(fields.factor.kind),
      requestsPerMinute: rules.ifAny(rules.wire(fields.requestsPerMinute.kind)),
      tokensPerMinute: rules.ifAny(rules.wire(fields.tokensPerMinute.kind)),
      concurrentRequests: rules.ifAny(rules.wire(fields.concurrentRequests.kind)),
    },
  })
  const save = useFormChange(
    form,
    (values: GroupValues) =>
      group === undefined
        ? call('POST /operate/groups', {
            body: {
              id: values.id,
              ...settingsOf(values),
            },
          })
        : call('PATCH /operate/groups/{id}', {
            params: { id: group.id },
            body: changedMembers(settingsOf(values), settingsOf(form.getInitialValues())),
          }),
    {
      done: t('operate.saved'),
      onDone: onClose,
      optimistic: (update, { factor, grants, fallbacks, ...rest }) =>
        group &&
        update.change('groups', group.id, {
          factor,
          grants,
          fallbacks,
          unsupported: rest.unsupported,
          unpricedFeatures: rest.unpricedFeatures,
          sharedObjects: rest.sharedObjects,
          priority: rest.priority,
          ...limitsOfEntries(rest),
        }),
    },
  )
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values), save.reset)} noValidate>
      <Stack>
        {group === undefined && (
          <TextInput
            label={t('groups.id')}
            description={t('groups.idHint')}
            data-autofocus
            {...form.getInputProps('id')}
          />
        )}
        <TextInput
          label={t('groups.factor')}
          description={t('groups.factorHint')}
          inputMode="decimal"
          leftSection="×"
          {...form.getInputProps('factor')}
        />
        <RadioField
          label={t('groups.unsupported')}
          description={t('groups.unsupportedHint')}
          {...form.getInputProps('unsupported')}
          choices={[
            { value: 'drop', label: t('groups.drop') },
            { value: 'reject', label: t('groups.reject') },
          ]}
        />
        <RadioField
          label={t('groups.unpricedFeatures')}
          description={t('groups.unpricedFeaturesHint')}
          {...form.getInputProps('unpricedFeatures')}
          choices={[
            { value: 'refuse', label: t('groups.unpriced.refuse') },
            { value: 'token_price', label: t('groups.unpriced.token_price') },
          ]}
        />
        <RadioField
          label={t('groups.sharedObjects')}
          description={t('groups.sharedObjectsHint')}
          {...form.getInputProps('sharedObjects')}
          choices={[
            { value: 'refuse', label: t('groups.shared.refuse') },
            { value: 'allow', label: t('groups.shared.allow') },
          ]}
        />
        <GrantFields
          value={form.values.grants}
          onChange={(grants) => form.setFieldValue('grants', grants)}
        />
        <FallbackFields
          value={form.values.fallbacks}
          onChange={(fallbacks) => form.setFieldValue('fallbacks', fallbacks)}
        />
        <Select
          label={t('groups.priority')}
          description={t('groups.priorityHint')}
          data={priorities.map((value) => ({ value, label: t(`priority.${value}`) }))}
          allowDeselect={false}
          {...form.getInputProps('priority')}
        />
        <LimitInputs hint={t('limitsOf.group')} inputProps={(name) => form.getInputProps(name)} />
        <EntryFormEnd
          save={save}
          isNew={group === undefined}
          create={t('groups.create')}
          deletion={
            group
              ? { name: group.id, list: 'groups', id: group.id, text: t('groups.deleteText') }
              : undefined
          }
          onClose={onClose}
        />
      </Stack>
    </form>
  )
}

function settingsOf({ grants, fallbacks, ...values }: GroupValues): GroupSettings {
  const used = Object.entries(fallbacks).filter(([, models]) => models.length > 0)
  return {
    factor: writtenToWire(fields.factor.kind, values.factor) ?? values.factor,
    unsupported: values.unsupported,
    unpricedFeatures: values.unpricedFeatures,
    sharedObjects: values.sharedObjects,
    priority: values.priority,
    grants: grants?.map(({ accountId, until }) => ({ accountId, until })) ?? null,
    fallbacks: Object.fromEntries(used),
    ...limitsOfEntries(values),
  }
}
