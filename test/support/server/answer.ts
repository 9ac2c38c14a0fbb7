/** One call's answer as it came over the wire. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed body, undefined where it is not JSON. */
  json: unknown;
}
