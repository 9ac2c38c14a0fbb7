/** Settings of an output. The agent says which, and what they may be. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { OutputStatus } from '../../../src/agent/technician/local-messages/device';
import type { OutputReply } from '../../../src/agent/technician/local-messages/outputs';
import type { PageSession } from '../../../src/agent/technician/web/page-session';
import { known } from '../../../src/locales/common';
import type { PageTranslations } from '../../../src/locales/page';
import { exactly } from '../duration';
import { usePage } from '../page-context';
import type { Action } from '../parts/action';
import { Field } from '../parts/field';
import { PanelForm } from '../parts/panel-form';

type OutputField = PageSession['outputFields'][number];
type Member = OutputField['member'];

interface OutputSettingsFormProps {
  output: OutputStatus;
  action: Action;
  onClose(): void;
}

export function OutputSettingsForm({ output, action, onClose }: OutputSettingsFormProps): JSX.Element {
  const { t, session, ask } = usePage();
  const fields = session.outputFields;
  const [typed, setTyped] = useState<Partial<Record<Member, string>>>({});

  const textOf = ({ member }: OutputField): string => typed[member] ?? String(output[member]);

  const save = (): void => {
    const change = Object.fromEntries(
      fields
        .map((field) => [field.member, field.rangeMs ? Number(textOf(field)) : textOf(field)] as const)
        .filter(([member, value]) => value !== output[member]),
    );
    if (Object.keys(change).length === 0) return action.show({ isWell: true, text: t.nothingChanged });
    action.run(async () => {
      const reply = await ask('output', { numOutput: output.numOutput, change, force: false });
      onClose();
      return t.saved(changesInWords(t, fields, reply));
    });
  };

  const inputOf = (field: OutputField): JSX.Element => {
    const { member, choices, rangeMs } = field;
    return (
      <Field
        key={member}
        label={t.outputFields[member]}
        {...(rangeMs && { hint: hintOf(t, member, rangeMs) })}
        choices={choices.map((choice) => [choice, valueInWords(t, member, choice)])}
        isNumber={rangeMs !== null}
        value={textOf(field)}
        onText={(text) => setTyped({ ...typed, [member]: text })}
      />
    );
  };

  return (
    <PanelForm action={action} save={t.save} onSave={save} onCancel={onClose}>
      {fields.map(inputOf)}
    </PanelForm>
  );
}

function hintOf(t: PageTranslations, member: Member, { least, most }: NonNullable<OutputField['rangeMs']>): string {
  const range = t.range(exactly(t, least), exactly(t, most));
  const hints: Partial<Record<Member, string>> = t.fieldHints;
  return `${range} ${hints[member] ?? ''}`;
}

function changesInWords(t: PageTranslations, fields: readonly OutputField[], { before, after }: OutputReply): string {
  return fields
    .filter(({ member }) => before[member] !== after[member])
    .map(({ member }) => `${valueInWords(t, member, before[member])} → ${valueInWords(t, member, after[member])}`)
    .join(', ');
}

function valueInWords(t: PageTranslations, member: Member, value: string | number): string {
  if (typeof value === 'number') return exactly(t, value);
  const choices: Readonly<Record<string, Readonly<Record<string, string>>>> = t.choices;
  return known(choices[member] ?? {}, value) ?? value;
}
