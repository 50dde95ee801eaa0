import { SimpleGrid, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { modelDefinition } from '../../../../src/catalog/definition/model.ts'
import type {
  ModelDetail,
  ModelSettings,
  StartModel,
} from '../../../../src/console-api/contract.ts'
import { call } from '../../api/client.ts'
import { changedMembers } from '../../parts/forms/changed-members.ts'
import { NumberInput, Switch, TextInput } from '../../parts/forms/inputs.tsx'
import {
  type LimitEntries,
  LimitInputs,
  limitEntries,
  limitsOfEntries,
} from '../../parts/forms/limit-inputs.tsx'
import { numberLimits } from '../../parts/forms/number-limits.ts'
import { useFieldRules } from '../../parts/forms/use-field-rules.ts'
import { EntryFormEnd } from '../parts/form-end.tsx'
import { useFormChange } from '../parts/use-form-change.ts'
import { PriceFields, usePriceRules } from './price-fields.tsx'
import {
  type PriceValues,
  priceOf,
  priceValues,
  type TierValues,
  tiersOf,
  tierValues,
} from './price-values.ts'
import { StartModelChoice } from './start-model-choice.tsx'
import { TierFields, useTierRules } from './tier-fields.tsx'

const { fields } = modelDefinition

interface ModelValues extends LimitEntries {
  id: string
  displayName: string
  ownedBy: string
  contextTokens: number | ''
  maxOutputTokens: number | ''
  isPriced: boolean
  price: PriceValues
  longPrompts: TierValues[]
}

interface ModelFormProps {
  /** Undefined for a new entry. */
  readonly detail: ModelDetail | undefined
  /** Suggested id of a new model. */
  readonly firstId?: string | undefined
  readonly onSaved: (detail: ModelDetail) => void
  readonly onClose: () => void
}

export function ModelForm({ detail, firstId, onSaved, onClose }: ModelFormProps) {
  const { t } = useTranslation()
  const form = useModelForm(detail, firstId)
  const save = useFormChange(
    form,
    (values: ModelValues) =>
      detail === undefined
        ? call('POST /operate/models', {
            body: {
              id: values.id,
              ...settingsOf(values),
              price: values.isPriced
                ? { ...priceOf(values.price), longPrompts: tiersOf(values.longPrompts) }
                : null,
            },
          })
        : call('PATCH /operate/models/{id}', {
            params: { id: detail.id },
            body: changedMembers(settingsOf(values), settingsOf(form.getInitialValues())),
          }),
    {
      done: t('operate.saved'),
      onDone: onSaved,
      optimistic: (update, values) =>
        detail && update.change('models', detail.id, settingsOf(values)),
    },
  )
  const take = (start: StartModel) =>
    form.setValues({
      id: start.id,
      displayName: start.displayName,
      ownedBy: start.ownedBy,
      contextTokens: start.contextTokens ?? '',
      maxOutputTokens: start.maxOutputTokens,
      isPriced: true,
      price: priceValues(start.price),
      longPrompts: tierValues(start.price),
    })
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values), save.reset)} noValidate>
      <Stack>
        {detail === undefined && (
          <>
            <StartModelChoice onChoose={take} />
            <TextInput
              label={t('catalog.id')}
              description={t('catalog.idHint')}
              {...form.getInputProps('id')}
            />
          </>
        )}
        <TextInput label={t('catalog.displayName')} {...form.getInputProps('displayName')} />
        <TextInput label={t('catalog.ownedBy')} {...form.getInputProps('ownedBy')} />
        <SimpleGrid cols={{ base: 1, xs: 2 }} className="field-grid">
          <NumberInput
            label={t('catalog.context')}
            description={t('catalog.contextHint')}
            {...numberLimits(modelDefinition.fields.contextTokens.kind)}
            allowDecimal={false}
            {...form.getInputProps('contextTokens')}
          />
          <NumberInput
            label={t('catalog.output')}
            description={t('catalog.outputHint')}
            {...numberLimits(modelDefinition.fields.maxOutputTokens.kind)}
            allowDecimal={false}
            {...form.getInputProps('maxOutputTokens')}
          />
        </SimpleGrid>
        <LimitInputs hint={t('limitsOf.model')} inputProps={(name) => form.getInputProps(name)} />
        {detail === undefined && (
          <>
            <Switch
              label={t('catalog.priced')}
              description={t('catalog.pricedHint')}
              {...form.getInputProps('isPriced', { type: 'checkbox' })}
            />
            {form.values.isPriced && (
              <>
                <PriceFields inputProps={(name) => form.getInputProps(`price.${name}`)} />
                <TierFields
                  price={form.values.price}
                  steps={form.values.longPrompts}
                  inputProps={(place, name) => form.getInputProps(`longPrompts.${place}.${name}`)}
                  onChange={(steps) => form.setFieldValue('longPrompts', steps)}
                />
              </>
            )}
          </>
        )}
        <EntryFormEnd
          save={save}
          isNew={detail === undefined}
          create={t('catalog.create')}
          deletion={
            detail
              ? { name: detail.id, list: 'models', id: detail.id, text: t('catalog.deleteText') }
              : undefined
          }
          onClose={onClose}
        />
      </Stack>
    </form>
  )
}

function useModelForm(detail: ModelDetail | undefined, firstId: string | undefined) {
  const rules = useFieldRules()
  const priceRules = usePriceRules()
  const tierRules = useTierRules()
  return useForm<ModelValues>({
    initialValues: {
      id: detail?.id ?? firstId ?? '',
      displayName: detail?.displayName ?? firstId ?? '',
      ownedBy: detail?.ownedBy ?? '',
      contextTokens: detail?.contextTokens ?? '',
      maxOutputTokens: detail?.maxOutputTokens ?? fields.maxOutputTokens.initial,
      ...limitEntries(detail),
      isPriced: true,
      price: priceValues(null),
      longPrompts: [],
    },
    validateInputOnBlur: true,
    validate: {
      id: rules.wire(fields.id.kind),
      displayName: rules.wire(fields.displayName.kind),
      ownedBy: rules.wire(fields.ownedBy.kind),
      contextTokens: rules.ifAny(rules.wire(fields.contextTokens.kind)),
      maxOutputTokens: rules.wire(fields.maxOutputTokens.kind),
      requestsPerMinute: rules.ifAny(rules.wire(fields.requestsPerMinute.kind)),
      tokensPerMinute: rules.ifAny(rules.wire(fields.tokensPerMinute.kind)),
      concurrentRequests: rules.ifAny(rules.wire(fields.concurrentRequests.kind)),
      price: priceRules,
      longPrompts: tierRules,
    },
  })
}

function settingsOf(values: ModelValues): ModelSettings {
  return {
    displayName: values.displayName,
    ownedBy: values.ownedBy,
    contextTokens: values.contextTokens === '' ? null : values.contextTokens,
    maxOutputTokens: Number(values.maxOutputTokens),
    ...limitsOfEntries(values),
  }
}
