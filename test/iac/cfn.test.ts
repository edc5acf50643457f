// CloudFormation templates: what resolves to nothing is found at its place, what is fine raises nothing.

import { expect, test } from "bun:test";
import { validateDocuments } from "../../src/iac/documents.ts";

/** Findings of the template checks alone, as `line code message`. */
function check(text: string, path = "stack.yaml"): string[] {
  const { findings } = validateDocuments([{ path, text }]);
  return findings
    .filter(({ code }) => code.startsWith("CFN-"))
    .map(({ line, column, code, message }) => `${line}:${column} ${code} ${message}`);
}
const codes = (text: string) => check(text).map((each) => each.split(" ").slice(0, 2).join(" "));

test("a template whose names all resolve raises nothing", () => {
  expect(
    check(`AWSTemplateFormatVersion: "2010-09-09"
Parameters:
  Env: {Type: String, Default: dev, AllowedValues: [dev, prod]}
  Image: {Type: "AWS::SSM::Parameter::Value<String>"}
Mappings:
  Sizes: {dev: {Type: t3.micro}, prod: {Type: m5.large}}
Conditions:
  IsProd: !Equals [!Ref Env, prod]
  IsBoth: !And [!Condition IsProd, !Equals [!Ref "AWS::Region", eu-west-1]]
Resources:
  Topic: {Type: "AWS::SNS::Topic", Condition: IsBoth}
  Server:
    Type: AWS::EC2::Instance
    DependsOn: [Topic]
    Properties:
      ImageId: !Ref Image
      InstanceType: !FindInMap [Sizes, !Ref Env, Type]
      UserData:
        Fn::Base64: !Sub
          - "\${!Kept} \${Own} \${Topic.TopicName} \${AWS::StackName}"
          - Own: !If [IsProd, !Ref Topic, !Ref AWS::NoValue]
Outputs:
  Arn: {Condition: IsProd, Value: !GetAtt Topic.TopicArn}
`),
  ).toEqual([]);
});

test("Ref, GetAtt, Sub and DependsOn to nothing are errors at the name, with the nearest one named", () => {
  expect(
    check(`Resources:
  Bucket:
    Type: AWS::S3::Bucket
    DependsOn: Buket
    Properties:
      BucketName: !Ref Nam
      Tags:
        - {Key: a, Value: {"Fn::GetAtt": [Queue, Arn]}}
        - {Key: b, Value: !Sub "x-\${Missing.Arn}"}
        - {Key: c, Value: !GetAtt Bucket.Arn}
`),
  ).toEqual(
    [
      '4:16 CFN-REF DependsOn names "Buket", but the template declares no resource of that name. Did you mean Bucket?',
      '6:24 CFN-REF Ref names "Nam", but the template declares no parameter or resource of that name.',
      '8:43 CFN-REF GetAtt names "Queue", but the template declares no resource of that name.',
      '9:32 CFN-REF GetAtt names "Missing", but the template declares no resource of that name.',
      // A resource that needs its own attribute can never be made.
      "2:3 CFN-CYCLE Circular dependency: Bucket → Bucket. Remove one DependsOn or reference.",
    ].toSorted((a, b) => Number.parseInt(a) - Number.parseInt(b)),
  );
});

test("a GetAtt without an attribute is an error", () => {
  expect(
    codes(`Resources:
  A: {Type: "AWS::SNS::Topic"}
Outputs:
  X: {Value: !GetAtt A}
  Y: {Value: {"Fn::GetAtt": [A]}}
  Z: {Value: !GetAtt A.TopicArn}
`),
  ).toEqual(["4:22 CFN-REF", "5:30 CFN-REF"]);
});

test("a condition and a map that are not declared are errors", () => {
  expect(
    codes(`Mappings:
  Sizes: {dev: {Type: t3.micro}}
Resources:
  A:
    Type: AWS::SNS::Topic
    Condition: IsProd
    Properties:
      TopicName: !If [IsDev, a, b]
      DisplayName: !FindInMap [Size, dev, Type]
      KmsMasterKeyId: !FindInMap [Sizes, prod, Type]
      SignatureVersion: !FindInMap [Sizes, !Ref "AWS::Region", Typ]
`),
  ).toEqual([
    "6:16 CFN-CONDITION",
    "8:23 CFN-CONDITION",
    "9:32 CFN-MAPPING",
    "10:42 CFN-MAPPING",
    "11:64 CFN-MAPPING",
  ]);
});

test("circular dependencies through DependsOn, Ref and Sub are told once each", () => {
  expect(
    check(`Resources:
  A: {Type: "AWS::SNS::Topic", DependsOn: B}
  B: {Type: "AWS::SNS::Topic", Properties: {TopicName: !Ref C}}
  C: {Type: "AWS::SNS::Topic", Properties: {TopicName: !Sub "\${A.TopicName}"}}
  D: {Type: "AWS::SNS::Topic", DependsOn: A}
`),
  ).toEqual([
    "2:3 CFN-CYCLE Circular dependency: A → B → C → A. Remove one DependsOn or reference.",
  ]);
});

test("what is declared but never used is an information", () => {
  const { findings } = validateDocuments([
    {
      path: "a.yaml",
      text: `Parameters:
  Unused: {Type: String}
Conditions:
  Never: !Equals [a, b]
Mappings:
  Map: {a: {b: c}}
Resources:
  A: {Type: "AWS::SNS::Topic", Properties: {KmsMasterKeyId: x}}
`,
    },
  ]);
  expect(findings.map(({ line, code, severity }) => [line, code, severity])).toEqual([
    [2, "CFN-UNUSED", "info"],
    [4, "CFN-UNUSED", "info"],
    [6, "CFN-UNUSED", "info"],
  ]);
});

test("a resource without Type, an output without Value, a parameter without Type, an unknown section", () => {
  expect(
    codes(`AWSTemplateFormatVersion: "2010-09-09"
Parameter: {}
Parameters:
  P: {Default: x}
Resources:
  A: {Properties: {Name: !Ref P}}
  B-: {Type: "AWS::SNS::Topic"}
Outputs:
  O: {Description: x}
`),
  ).toEqual(["2:1 CFN-SECTION", "4:3 CFN-PARAM", "6:3 CFN-TYPE", "9:3 CFN-OUTPUT"]);
});

test("a default outside of AllowedValues is an error", () => {
  expect(
    codes(`Parameters:
  P: {Type: String, Default: c, AllowedValues: [a, b]}
  N: {Type: Number, Default: 1, AllowedValues: [1, 2]}
  L: {Type: CommaDelimitedList, Default: "a,b", AllowedValues: [a, b, c]}
Resources:
  A: {Type: "AWS::SNS::Topic", Properties: {X: [!Ref P, !Ref N, !Ref L]}}
`),
  ).toEqual(["2:30 CFN-PARAM"]);
});

test("the default of a NoEcho parameter is not repeated in the message", () => {
  const [first = ""] = check(`Parameters:
  P: {Type: String, NoEcho: true, Default: topsecret, AllowedValues: [othersecret]}
Resources:
  A: {Type: "AWS::SNS::Topic", Properties: {X: !Ref P}}
`);
  expect(first).toStartWith("2:44 CFN-PARAM");
  expect(first).not.toContain("secret");
});

test("duplicate keys are errors at the second one, merge keys are not duplicates", () => {
  expect(
    codes(`Resources:
  A: &base
    Type: AWS::SNS::Topic
  B:
    <<: *base
    Type: AWS::SQS::Queue
  A:
    Type: AWS::SNS::Topic
`),
  ).toEqual(["7:3 CFN-DUPLICATE"]);
});

test("syntax errors are findings with their place, and nothing else is said of such a document", () => {
  expect(
    codes(
      "AWSTemplateFormatVersion: '2010-09-09'\nResources:\n  A:\n    Type: AWS::S3::Bucket\n   Bad: [1\n",
    ),
  ).toEqual(["5:1 CFN-SYNTAX", "6:1 CFN-SYNTAX"]);
});

test("a JSON template is checked like a YAML one, tabs included", () => {
  const text = JSON.stringify(
    { Resources: { A: { Type: "AWS::SNS::Topic", Properties: { TopicName: { Ref: "Nope" } } } } },
    null,
    "\t",
  );
  expect(check(text, "stack.json")).toEqual([
    '7:13 CFN-REF Ref names "Nope", but the template declares no parameter or resource of that name.',
  ]);
});

test("SAM makes names of its own: they resolve, others do not", () => {
  expect(
    check(`Transform: AWS::Serverless-2016-10-31
Globals: {Function: {Timeout: 3}}
Resources:
  Api: {Type: "AWS::Serverless::Function"}
Outputs:
  Role: {Value: !GetAtt ApiRole.Arn}
  Url: {Value: !Sub "https://\${ServerlessRestApi}.execute-api"}
  Version: {Value: !Ref Api.Version}
  Other: {Value: !Ref ApiPolice}
`),
  ).toEqual([
    '9:23 CFN-REF Ref names "ApiPolice", but the template declares no parameter or resource of that name.',
  ]);
});

test("resources of a registry module resolve by the module's name", () => {
  expect(
    check(`Resources:
  Net: {Type: "My::Network::Vpc::MODULE"}
Outputs:
  A: {Value: !Ref Net.Vpc}
  B: {Value: !GetAtt NetVpc.Arn}
`),
  ).toEqual([]);
});

test("names that a macro, an include or a loop may make are not judged", () => {
  expect(
    check(`Transform: [MyMacro]
Resources:
  A: {Type: "AWS::SNS::Topic", Properties: {TopicName: !Ref MadeByMacro}}
`),
  ).toEqual([]);
  expect(
    check(`Transform: AWS::LanguageExtensions
Resources:
  Fn::ForEach::Topics:
    - Name
    - [a, b]
    - Topic\${Name}: {Type: "AWS::SNS::Topic"}
Outputs:
  A: {Value: !Ref Topica}
`),
  ).toEqual([]);
});

test("aliases that grow without end neither hang nor throw", () => {
  const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
  for (let i = 1; i < 9; i++)
    lines.push(`a${i}: &a${i} [${Array.from({ length: 10 }, () => `*a${i - 1}`).join(", ")}]`);
  const text = `Resources: {A: {Type: "AWS::SNS::Topic"}}\nMetadata:\n  ${lines.join("\n  ")}\n`;
  expect(validateDocuments([{ path: "bomb.yaml", text }]).checked).toEqual(["bomb.yaml"]);
  const loop = "Resources: &r {A: {Type: 'AWS::SNS::Topic', X: *r}}\n";
  expect(validateDocuments([{ path: "loop.yaml", text: loop }]).findings.length).toBeGreaterThan(0);
  const deep = `Resources: ${"[".repeat(20_000)}`;
  expect(
    validateDocuments([{ path: "deep.yaml", text: deep }]).findings.length,
  ).toBeGreaterThanOrEqual(0);
});
