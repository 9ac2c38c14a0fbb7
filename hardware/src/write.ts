/** `relaygate-flash write`: an image onto a card. */
import { RelaygateError } from '@relaygate/shared';
import { type Card, type CardNeeds, isSameCard } from './card/block-device';
import { writeCard } from './card/write-card';
import { checkedImageBytes } from './image/checked-image';
import { imageSource } from './image/image-source';
import type { ProgressDeps } from './progress';

export interface WriteRequest {
  image: string;
  device: string;
  /** The name of the device, typed beforehand; undefined: it is asked for. */
  confirm: string | undefined;
  /** Also a disk that cannot be taken out. */
  allowFixed: boolean;
}

export interface WriteDeps {
  progress: ProgressDeps;
  /** Rejects for a card that must not be written. */
  lookAtCard(path: string, needs: CardNeeds): Promise<Card>;
  forgetBuffers(path: string): Promise<void>;
  /** null: nobody answers. */
  ask(question: string): Promise<string | null>;
}

export interface Written {
  device: string;
  card: string;
  bytes: number;
}

export async function write({ image, device, confirm, allowFixed }: WriteRequest, deps: WriteDeps): Promise<Written> {
  const source = await imageSource(image);
  // All of it first: a wrong image must not cost what is on the card.
  const needs = { imageBytes: await checkedImageBytes(source, deps.progress), allowFixed };
  const card = await deps.lookAtCard(device, needs);
  const question = `${card.path}: ${card.words}. All that is on it will be gone. Type "${card.name}" to go on: `;
  const answer = confirm ?? (await deps.ask(question));
  if (answer !== card.name)
    throw new RelaygateError('refused', `Nothing was written: "${card.name}" was not typed (or given by --confirm).`);
  // It may have been mounted while somebody typed, or another card put in its place.
  if (!isSameCard(card, await deps.lookAtCard(device, needs)))
    throw new RelaygateError('card-unusable', `${card.path} is not written: it is another card than the one shown.`);
  const bytes = await writeCard({ ...deps, source, path: card.path });
  return { device: card.path, card: card.words, bytes };
}
