/**
 * The types of a catalogue of sentences. A sentence is a text with the names of its values in braces, a record of such
 * texts, or a function of its values. The English catalogue says which values there are.
 */
import type { Cause, Reason } from '../runtime/cause';

type NamesIn<Sentence> = Sentence extends object
  ? NamesIn<Sentence[keyof Sentence]>
  : Sentence extends `${string}{${infer Name}}${infer Rest}`
    ? Name | NamesIn<Rest>
    : never;

/** What may be given where a function gets `Shown`: it gets the words of a cause. */
type Given<Shown> = string extends Shown ? Shown | Reason : Shown extends readonly string[] ? readonly Cause[] : Shown;

/** The values of each sentence; `Value` is what stands for a name in braces. */
export type ValuesOf<Catalogue, Value = Cause | number> = {
  readonly [Code in keyof Catalogue]: Catalogue[Code] extends (values: infer Shown) => unknown
    ? { readonly [Name in keyof Shown]: Given<Shown[Name]> }
    : { readonly [Name in NamesIn<Catalogue[Code]>]: Value };
};

/** The same sentences in another language. A function gets what the English one does. */
export type Translated<Catalogue, Text = string> = {
  readonly [Code in keyof Catalogue]:
    | Text
    | ((
        values: Catalogue[Code] extends (values: infer Shown) => unknown
          ? Shown
          : { readonly [Name in NamesIn<Catalogue[Code]>]: string | number },
      ) => Text);
};
